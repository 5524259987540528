import { Injectable } from '@nestjs/common';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import type { Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { lastInstantOfMonth, monthAfter, monthBefore, type BookMonth } from '../book-months.js';
import { ClosedMonths } from '../closing/closed-months.js';
import { revenueAccrualDecider, type RevenueAccrual, type RevenueAccrualCommand } from './revenue-accrual.js';

/** The next month that is to be accrued. */
export interface NextAccrual {
  readonly month: BookMonth;
  /** The last instant of the month. */
  readonly dueAt: Instant;
}

/** The end of a month at which revenue is measured. */
export interface MonthEnd {
  readonly workspaceId: string;
  readonly month: BookMonth;
  /** The last instant of the month. */
  readonly at: Instant;
  readonly timezone: string;
  /** The newest accrual before. Undefined if there is none. */
  readonly last: RevenueAccrual | undefined;
}

/** The measurement of a month's end, as a command without what the accruer adds. */
export type MeasuredMonth = Omit<RevenueAccrualCommand, 'type' | 'month' | 'at' | 'now' | 'timezone'>;

/** A subscription or a wallet whose unbilled revenue is accrued. */
export interface AccrualSource {
  /** The id of the subscription, or of the wallet: `<customer id>.<credit type>`. It is unique in the workspace. */
  readonly id: string;
  /** The time zone of the months if the billing settings have none. */
  readonly timezone: string;
  /** Measures a month's end. Undefined if there is nothing to measure. */
  measure(end: MonthEnd): Promise<MeasuredMonth | undefined>;
}

/** Accrues the unbilled revenue of a month. Closed months stay as they are. */
@Injectable()
export class MonthAccruer {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly settings: CurrentBillingSettings,
    private readonly closed: ClosedMonths,
  ) {}

  /**
   * Accrues a month, if it is over. Returns the month to accrue next. Undefined if `isDone` returns true, because nothing more can be
   * accrued. After an outage the next month can be over already.
   *
   * @param isDone is asked with the last instant of the month and the number of unbilled amounts, which is undefined if nothing was measured
   */
  async accrueWhenOver(
    context: CommandContext,
    source: AccrualSource,
    month: BookMonth,
    isDone: (at: Instant, unbilled: number | undefined) => boolean,
  ): Promise<NextAccrual | undefined> {
    const timezone = await this.timezoneOf(context, source);
    const at = lastInstantOfMonth(month, timezone);
    if (context.now < at) return { month, dueAt: at };
    if (isDone(at, await this.accrue(context, source, month))) return undefined;
    const next = monthAfter(month);
    return { month: next, dueAt: lastInstantOfMonth(next, timezone) };
  }

  /**
   * Accrues a month again, before it is closed. The month must be over. If an outage left out months since the last accrual, accrues these
   * months first, so that each month has its own revenue.
   *
   * @param firstMonth tells the month with which the accruals begin, if there is none yet
   */
  async accrueThrough(
    context: CommandContext,
    source: AccrualSource,
    month: BookMonth,
    firstMonth: () => Promise<BookMonth>,
  ): Promise<void> {
    const { workspaceId } = context;
    const last = await this.aggregates.load(revenueAccrualDecider, aggregateId(workspaceId, source.id));
    const closed = (await this.closed.ofWorkspace(workspaceId)).at(-1);
    const before = last?.month ?? monthBefore(await firstMonth());
    const known = [before, closed?.month ?? ''].sort().at(-1)!;
    let next = known < month ? monthAfter(known) : month;
    for (; next <= month; next = monthAfter(next)) await this.accrue(context, source, next);
  }

  /**
   * Measures the unbilled revenue at the end of a month, and records its change. Returns the number of unbilled amounts; undefined if nothing
   * was measured.
   */
  private async accrue(
    context: CommandContext,
    source: AccrualSource,
    month: BookMonth,
  ): Promise<number | undefined> {
    const { workspaceId, now } = context;
    if (await this.closed.isClosed(workspaceId, month)) return undefined;
    const timezone = await this.timezoneOf(context, source);
    const at = lastInstantOfMonth(month, timezone);
    const id = aggregateId(workspaceId, source.id);
    const last = await this.aggregates.load(revenueAccrualDecider, id);
    // Later usage of the month is in the newer accrual.
    if (last && last.month > month) return last.unbilled.length;
    const measured = await source.measure({ workspaceId, month, at, timezone, last });
    if (measured === undefined) return undefined;
    await this.aggregates.execute(
      revenueAccrualDecider,
      id,
      followUpContext(context, `accrue ${source.id} ${month}`),
      { type: 'AccrueRevenue', month, at, now, timezone, ...measured },
    );
    return measured.unbilled.length;
  }

  private async timezoneOf({ workspaceId }: CommandContext, { timezone }: AccrualSource): Promise<string> {
    return (await this.settings.ofWorkspace(workspaceId)).timezone ?? timezone;
  }
}
