import { Injectable } from '@nestjs/common';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import { Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import { addSeconds, laterOf, type Instant } from '#libs/kernel/core';
import { lastInstantOfMonth, lastMonthOver, monthAfter, type BookMonth } from '../book-months.js';
import { ClosedMonths } from '../closing/closed-months.js';
import { revenueAccrualDecider } from './revenue-accrual.js';
import { UnbilledRevenueMeter } from './unbilled-revenue.js';

/** A subscription that ended this number of days before a month's end has no draft that was not accrued before. */
const LONG_OVER_DAYS = 100;
const DAY = 86_400;

/** The next month whose end is to be accrued, and the last instant of it. */
export interface NextAccrual {
  readonly month: BookMonth;
  readonly dueAt: Instant;
}

/** Accrues the unbilled revenue of subscriptions at the ends of months. */
@Injectable()
export class RevenueAccruals {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly subscriptions: Subscriptions,
    private readonly settings: CurrentBillingSettings,
    private readonly closed: ClosedMonths,
    private readonly meter: UnbilledRevenueMeter,
  ) {}

  /**
   * Accrues the newest month that is over, from `month` on. A closed month is not accrued again. Returns the next month; undefined if the
   * subscription has ended and nothing of it is unbilled.
   */
  async accrueFrom(
    context: CommandContext,
    subscriptionId: string,
    month: BookMonth,
  ): Promise<NextAccrual | undefined> {
    const { workspaceId, now } = context;
    const subscription = await this.subscriptions.find(workspaceId, subscriptionId);
    if (subscription === undefined) return undefined;
    const timezone = await this.timezoneOf(workspaceId, subscription);
    const over = lastMonthOver(now, timezone);
    if (over < month) return { month, dueAt: lastInstantOfMonth(month, timezone) };
    const unbilled = await this.accrue(context, subscription, over);
    if (subscription.phase === 'canceled' && unbilled === 0) return undefined;
    const next = monthAfter(over);
    return { month: next, dueAt: lastInstantOfMonth(next, timezone) };
  }

  /** Measures the unbilled revenue at the end of a month, and records its change. Returns the number of unbilled amounts. */
  async accrue(context: CommandContext, subscription: Subscription, month: BookMonth): Promise<number> {
    const { workspaceId, now } = context;
    const { subscriptionId, customerId, currency } = subscription;
    if (await this.closed.isClosed(workspaceId, month)) return subscription.phase === 'canceled' ? 0 : 1;
    const timezone = await this.timezoneOf(workspaceId, subscription);
    const at = lastInstantOfMonth(month, timezone);
    const id = aggregateId(workspaceId, subscriptionId);
    const last = await this.aggregates.load(revenueAccrualDecider, id);
    // Later usage of the month is in the newer accrual.
    if (last && last.month > month) return last.unbilled.length;
    if (isLongOver(subscription, at) && !last?.unbilled.length) return 0;
    const before = last?.month === month ? undefined : last;
    const measured = await this.meter.measure(workspaceId, subscriptionId, at, timezone, before);
    if (measured === undefined) return 1;
    const { unbilled } = measured;
    await this.aggregates.execute(
      revenueAccrualDecider,
      id,
      followUpContext(context, `accrue ${subscriptionId} ${month}`),
      {
        ...{ type: 'AccrueRevenue', subscriptionId, customerId, currency, timezone, month, at, now },
        ...measured,
        // A second measurement finds late usage, which the next bill from now on charges.
        nextBillAt:
          last?.month === month ? laterOf(measured.nextBillAt, subscription.period.end) : measured.nextBillAt,
      },
    );
    return unbilled.length;
  }

  private async timezoneOf(workspaceId: string, { timezone }: Subscription): Promise<string> {
    return (await this.settings.ofWorkspace(workspaceId)).timezone ?? timezone;
  }
}

function isLongOver({ canceledAt }: Subscription, at: Instant): boolean {
  return canceledAt !== null && canceledAt < addSeconds(at, -LONG_OVER_DAYS * DAY);
}
