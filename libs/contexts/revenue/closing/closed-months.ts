import { Injectable } from '@nestjs/common';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import type { BookMonth } from '../book-months.js';
import type { MonthFigures } from './events.js';
import { revenueMonthsDecider, type ClosedMonth } from './revenue-months.js';

/** Reads and closes the months of workspaces. */
@Injectable()
export class ClosedMonths {
  constructor(private readonly aggregates: AggregateStore) {}

  /** The closed months of a workspace, oldest first. */
  async ofWorkspace(workspaceId: string): Promise<readonly ClosedMonth[]> {
    return (await this.aggregates.load(revenueMonthsDecider, workspaceId))?.closedMonths ?? [];
  }

  /** Tells whether a month is closed. A month before the first closed month counts as closed. */
  async isClosed(workspaceId: string, month: BookMonth): Promise<boolean> {
    const last = (await this.ofWorkspace(workspaceId)).at(-1);
    return last !== undefined && month <= last.month;
  }

  /**
   * Closes a month and stores its figures, which no longer change. A month that is already closed does not change. Throws Conflict if an
   * earlier month is closed, but the preceding month is not. The caller must refuse a month before the first closed month.
   */
  async close(
    context: CommandContext,
    month: BookMonth,
    figures: { position: string | null; usageThrough: string; currencies: readonly MonthFigures[] },
  ): Promise<ClosedMonth> {
    const { workspaceId, now: at } = context;
    const command = { type: 'CloseRevenueMonth', workspaceId, month, at, ...figures } as const;
    await this.aggregates.execute(revenueMonthsDecider, workspaceId, context, command);
    return (await this.ofWorkspace(workspaceId)).find((one) => one.month === month)!;
  }
}
