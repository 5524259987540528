import pMap from 'p-map';
import { AppError } from '#libs/kernel/core';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import { ClosedMonthAudit, type RevenueMonthEvent } from '#libs/contexts/revenue';
import type { LedgerDifference } from './difference.js';
import type { ReadModelSnapshot } from './read-model-snapshot.js';
import type { VerifySources } from './verify-sources.js';

const AT_A_TIME = 4;
const PAGE = 500;

/** Measures the unbilled revenue of each subscription again, as of the closing of each month, and compares it with the accruals. */
export class ClosedMonthMeasurementCheck {
  private readonly audit: ClosedMonthAudit;

  constructor(
    { streams, openPast }: Pick<VerifySources, 'streams' | 'openPast'>,
    private readonly readSide: ReadModelSnapshot,
  ) {
    this.audit = new ClosedMonthAudit(streams, openPast);
  }

  /** Returns the differences of all subscriptions of the workspace in the month that the event closed. */
  async check(closing: Recorded<RevenueMonthEvent>): Promise<LedgerDifference[]> {
    const found: LedgerDifference[] = [];
    for (let after = ''; ;) {
      const page = await this.readSide.findRows<{ id: string }>(
        'SELECT id FROM read.subscriptions WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3',
        [closing.data.workspaceId, after, PAGE],
      );
      const differences = await pMap(page, ({ id }) => this.ofSubscription(closing, id), {
        concurrency: AT_A_TIME,
      });
      found.push(...differences.flat());
      const last = page.at(-1);
      if (last === undefined) return found;
      after = last.id;
    }
  }

  private async ofSubscription(
    closing: Recorded<RevenueMonthEvent>,
    subscriptionId: string,
  ): Promise<LedgerDifference[]> {
    const { month, workspaceId } = closing.data;
    const subject = `closed month ${month} of ${workspaceId}`;
    const problems = await this.problems(closing, subscriptionId);
    return problems.map((problem) => ({
      position: closing.position,
      subject,
      problem: `${subscriptionId} ${problem}`,
    }));
  }

  private async problems(closing: Recorded<RevenueMonthEvent>, subscriptionId: string): Promise<string[]> {
    try {
      return await this.audit.problems(closing, subscriptionId);
    } catch (error) {
      if (error instanceof AppError && error.status === 503) throw error;
      if (error instanceof AppError || error instanceof RangeError)
        return [`cannot be measured again: ${error.message}`];
      throw error;
    }
  }
}

/** Tells whether the event closed a month. */
export function isMonthClosing(event: RecordedEvent): event is Recorded<RevenueMonthEvent> {
  return event.type === ('RevenueMonthClosed' satisfies RevenueMonthEvent['type']);
}
