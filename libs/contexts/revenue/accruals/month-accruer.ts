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

/** A month that is being closed. */
export interface ClosingMonth {
  readonly month: BookMonth;
  /** The time zone that the billing settings had when the closing began. Null if they had none. */
  readonly timezone: string | null;
}

/** The end of a month, for which unbilled revenue is measured. */
export interface MonthEnd {
  readonly workspaceId: string;
  readonly month: BookMonth;
  /** The last instant of the month. */
  readonly at: Instant;
  readonly timezone: string;
  /** The newest recorded accrual of the subscription or wallet. Undefined if there is none. */
  readonly lastAccrual: RevenueAccrual | undefined;
}

/** The measured data of a month's end: the accrual command without the fields that MonthAccruer adds. */
export type MeasuredMonth = Omit<RevenueAccrualCommand, 'type' | 'month' | 'at' | 'now' | 'timezone'>;

/** A subscription or a wallet whose unbilled revenue is accrued. */
export interface AccrualSource {
  /** The id of the subscription, or of the wallet: `<customer id>.<credit type>`. The id is unique in the workspace. */
  readonly id: string;
  /** The time zone of the months, if the billing settings have no time zone. */
  readonly timezone: string;
  /** Measures a month's end. Undefined if there is nothing to measure at the month's end. */
  measure(end: MonthEnd): Promise<MeasuredMonth | undefined>;
}

/** Accrues the unbilled revenue of a month. The accruals of closed months do not change. */
@Injectable()
export class MonthAccruer {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly settings: CurrentBillingSettings,
    private readonly closed: ClosedMonths,
  ) {}

  /**
   * Accrues the revenue of a month if the month is over, and returns the next month to accrue. If the month is not over, returns the same
   * month with its end. Returns undefined if `isDone` returns true, because nothing more can be accrued. The returned month may already be
   * over, for example after an outage.
   *
   * @param isDone is asked with the last instant of the month and the number of unbilled amounts, which is undefined if nothing was
   *   measured
   */
  async accrueIfMonthIsOver(
    context: CommandContext,
    source: AccrualSource,
    month: BookMonth,
    isDone: (at: Instant, unbilled: number | undefined) => boolean,
  ): Promise<NextAccrual | undefined> {
    const timezone = await this.timezoneOf(context, source);
    const at = lastInstantOfMonth(month, timezone);
    if (context.now < at) return { month, dueAt: at };
    if (isDone(at, await this.accrue(context, source, month, timezone))) return undefined;
    const next = monthAfter(month);
    return { month: next, dueAt: lastInstantOfMonth(next, timezone) };
  }

  /**
   * Accrues the revenue of a month again, before the month is closed. The month must be over. If months since the last accrual are
   * missing because of an outage, accrues them first, so that each month has its own revenue. The time zone of the settings is not read
   * again, so that all accruals of the closing have the same end.
   *
   * @param firstMonth finds the first month to accrue, if the source has no accrual yet
   */
  async accrueThrough(
    context: CommandContext,
    source: AccrualSource,
    { month, timezone }: ClosingMonth,
    firstMonth: () => Promise<BookMonth>,
  ): Promise<void> {
    const { workspaceId } = context;
    const last = await this.aggregates.load(revenueAccrualDecider, aggregateId(workspaceId, source.id));
    const closed = (await this.closed.ofWorkspace(workspaceId)).at(-1);
    const before = last?.month ?? monthBefore(await firstMonth());
    const known = [before, closed?.month ?? ''].sort().at(-1)!;
    let next = known < month ? monthAfter(known) : month;
    for (; next <= month; next = monthAfter(next))
      await this.accrue(context, source, next, timezone ?? source.timezone);
  }

  /**
   * Measures the unbilled revenue at the end of a month, and records how it changed. Returns the number of unbilled amounts. If the month
   * is closed, or a later month is already accrued, measures nothing and returns the number of the newest accrual. Returns undefined if
   * there is nothing to measure, or no accrual of a closed month.
   */
  private async accrue(
    context: CommandContext,
    source: AccrualSource,
    month: BookMonth,
    timezone: string,
  ): Promise<number | undefined> {
    const { workspaceId, now } = context;
    const at = lastInstantOfMonth(month, timezone);
    const id = aggregateId(workspaceId, source.id);
    const last = await this.aggregates.load(revenueAccrualDecider, id);
    // The closing has measured the month. What is left of it, such as a draft, is for the next month to accrue.
    if (await this.closed.isClosed(workspaceId, month)) return last?.unbilled.length;
    // The newer accrual also contains usage of this month that arrived late.
    if (last && last.month > month) return last.unbilled.length;
    const measured = await source.measure({ workspaceId, month, at, timezone, lastAccrual: last });
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
