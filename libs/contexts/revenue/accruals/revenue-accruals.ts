import { Injectable } from '@nestjs/common';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import { BillingCycles } from '#libs/contexts/billing';
import { isDue, Subscriptions, type Subscription } from '#libs/contexts/subscriptions';
import { addSeconds, laterOf, type Instant } from '#libs/kernel/core';
import { lastInstantOfMonth, monthAfter, monthBefore, type BookMonth } from '../book-months.js';
import { ClosedMonths } from '../closing/closed-months.js';
import { revenueAccrualDecider } from './revenue-accrual.js';
import { isUnmeasurable, UnbilledRevenueMeter } from './unbilled-revenue.js';

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
    private readonly cycles: BillingCycles,
    private readonly meter: UnbilledRevenueMeter,
  ) {}

  /**
   * Accrues a month, if it is over. A closed month is not accrued again. Returns the month to accrue next; undefined if the subscription had
   * ended by the month's end and nothing of it was unbilled. After an outage the next month can be over already.
   */
  async accrueWhenOver(
    context: CommandContext,
    subscriptionId: string,
    month: BookMonth,
  ): Promise<NextAccrual | undefined> {
    const { workspaceId, now } = context;
    const subscription = await this.subscriptions.find(workspaceId, subscriptionId);
    if (subscription === undefined) return undefined;
    const timezone = await this.timezoneOf(workspaceId, subscription);
    const at = lastInstantOfMonth(month, timezone);
    if (now < at) return { month, dueAt: at };
    const unbilled = await this.accrue(context, subscription, month);
    if (subscription.canceledAt !== null && subscription.canceledAt <= at && unbilled === 0) return undefined;
    const next = monthAfter(month);
    return { month: next, dueAt: lastInstantOfMonth(next, timezone) };
  }

  /**
   * Accrues a month that is over once more, before it is closed. Months before it that are open and that an outage has left out since the
   * last accrual come first, so that each month has its own revenue.
   */
  async accrueThrough(context: CommandContext, subscription: Subscription, month: BookMonth): Promise<void> {
    const { workspaceId } = context;
    const id = aggregateId(workspaceId, subscription.subscriptionId);
    const last = await this.aggregates.load(revenueAccrualDecider, id);
    const closed = (await this.closed.ofWorkspace(workspaceId)).at(-1);
    const known = [last?.month ?? monthBefore(month), closed?.month ?? ''].sort().at(-1)!;
    let next = known < month ? monthAfter(known) : month;
    for (; next <= month; next = monthAfter(next)) await this.accrue(context, subscription, next);
  }

  /** Measures the unbilled revenue at the end of a month, and records its change. Returns the number of unbilled amounts. */
  private async accrue(
    context: CommandContext,
    subscription: Subscription,
    month: BookMonth,
  ): Promise<number> {
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
    if (isDue(subscription, at)) await this.applyDueChanges(context, subscriptionId);
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

  /** Applies the ends of periods and other changes that an outage has delayed, so that the month is measured as it went. */
  private async applyDueChanges(context: CommandContext, subscriptionId: string): Promise<void> {
    try {
      await this.cycles.applyDueChanges(
        followUpContext(context, `advance ${subscriptionId}`),
        subscriptionId,
      );
    } catch (error) {
      if (!isUnmeasurable(error)) throw error;
    }
  }

  private async timezoneOf(workspaceId: string, { timezone }: Subscription): Promise<string> {
    return (await this.settings.ofWorkspace(workspaceId)).timezone ?? timezone;
  }
}

function isLongOver({ canceledAt }: Subscription, at: Instant): boolean {
  return canceledAt !== null && canceledAt < addSeconds(at, -LONG_OVER_DAYS * DAY);
}
