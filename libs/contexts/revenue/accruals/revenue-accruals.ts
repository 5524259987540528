import { Injectable } from '@nestjs/common';
import { DueChangeApplier } from '#libs/contexts/billing';
import {
  isChangeDue,
  subscriptionDecider,
  type Subscription,
  type SubscriptionEvent,
} from '#libs/contexts/subscriptions';
import { addSeconds, laterOf, type Instant } from '#libs/kernel/core';
import { fold, type Recorded } from '#libs/kernel/domain';
import { followUpContext, StreamReader, type CommandContext } from '#libs/kernel/event-store';
import { lastInstantOfMonth, monthContaining, type BookMonth } from '../book-months.js';
import {
  MonthAccruer,
  type AccrualSource,
  type ClosingMonth,
  type MeasuredMonth,
  type MonthEnd,
  type NextAccrual,
} from './month-accruer.js';
import { isPaidInAdvance } from './paid-ahead.js';
import { PendingMonthReader, type FirstPendingMonths } from './pending-month-reader.js';
import { isUnmeasurable, subscriptionStreamName, UnbilledRevenueMeter } from './unbilled-revenue.js';

/**
 * If a subscription ended more than this number of days before a month's end, all its drafts were already accrued. So it is not measured,
 * unless its newest accrual has unbilled amounts.
 */
const LONG_OVER_DAYS = 100;
const DAY = 86_400;

/** Accrues the unbilled revenue of subscriptions at the end of each month. */
@Injectable()
export class RevenueAccruals {
  constructor(
    private readonly streams: StreamReader,
    private readonly cycles: DueChangeApplier,
    private readonly meter: UnbilledRevenueMeter,
    private readonly months: MonthAccruer,
    private readonly pending: PendingMonthReader,
  ) {}

  /**
   * Accrues the revenue of a month if the month is over, and returns the next month to accrue. If the month is not over, returns the same
   * month with its end. Returns undefined if nothing was unbilled and later months will have nothing either: the subscription had ended, or
   * pays everything in advance. A month that is closed has the unbilled amounts of the newest accrual.
   */
  async accrueIfMonthIsOver(
    context: CommandContext,
    subscriptionId: string,
    month: BookMonth,
  ): Promise<NextAccrual | undefined> {
    const events = await this.readEvents(context.workspaceId, subscriptionId);
    const subscription = fold(subscriptionDecider, events);
    if (subscription === undefined) return undefined;
    const { canceledAt } = subscription;
    return this.months.accrueIfMonthIsOver(
      context,
      this.sourceOf(context, subscription, events),
      month,
      (at, unbilled = 0) =>
        unbilled === 0 && ((canceledAt !== null && canceledAt <= at) || isPaidInAdvance(subscription)),
    );
  }

  /**
   * Accrues the revenue of a month again, before the month is closed: see {@link MonthAccruer.accrueThrough}. `pending` contains the months
   * that the saga still has to accrue ({@link PendingMonthReader}).
   */
  async accrueThrough(
    context: CommandContext,
    subscription: Subscription,
    closing: ClosingMonth,
    pending: FirstPendingMonths,
  ): Promise<void> {
    const first = () => this.firstMonth(context, subscription, closing.month, pending);
    await this.months.accrueThrough(context, this.sourceOf(context, subscription), closing, first);
  }

  /**
   * The first month to accrue for a subscription without accruals, at most `month`. For subscriptions that earlier versions of
   * Countinghouse created, the accruals begin at the upgrade of Countinghouse, not at the creation of the subscription.
   */
  private async firstMonth(
    { workspaceId }: CommandContext,
    subscription: Subscription,
    month: BookMonth,
    pending: FirstPendingMonths,
  ): Promise<BookMonth> {
    const { subscriptionId, createdAt, timezone } = subscription;
    const next = pending.get(subscriptionId);
    if (next !== undefined) return next < month ? next : month;
    if (isPaidInAdvance(subscription) || isLongOver(subscription, lastInstantOfMonth(month, timezone)))
      return month;
    const start = monthContaining(createdAt, timezone);
    return start < month && (await this.pending.isCreationUnprocessed(workspaceId, subscriptionId))
      ? start
      : month;
  }

  /** @param events the events of the subscription, if the caller has read them */
  private sourceOf(
    context: CommandContext,
    subscription: Subscription,
    events?: readonly Recorded<SubscriptionEvent>[],
  ): AccrualSource {
    const { subscriptionId: id, timezone } = subscription;
    return { id, timezone, measure: (end) => this.measure(context, subscription, end, events) };
  }

  private async measure(
    context: CommandContext,
    subscription: Subscription,
    end: MonthEnd,
    known: readonly Recorded<SubscriptionEvent>[] | undefined,
  ): Promise<MeasuredMonth | undefined> {
    const { workspaceId, month, at, lastAccrual: last } = end;
    const { subscriptionId, customerId, currency, period } = subscription;
    if (isLongOver(subscription, at) && !last?.unbilled.length) return undefined;
    let events = known;
    if (isChangeDue(subscription, at)) {
      await this.applyDueChanges(context, subscriptionId);
      events = undefined;
    }
    events ??= await this.readEvents(workspaceId, subscriptionId);
    const isAgain = last?.month === month;
    const measured = await this.meter.measure(events, end);
    if (measured === undefined) return undefined;
    return {
      subscriptionId,
      customerId,
      currency,
      ...measured,
      // A second measurement finds late usage, which the next bill from now on charges.
      nextBillAt: isAgain ? laterOf(measured.nextBillAt, period.end) : measured.nextBillAt,
    };
  }

  private async readEvents(
    workspaceId: string,
    subscriptionId: string,
  ): Promise<readonly Recorded<SubscriptionEvent>[]> {
    const events = await this.streams.read(subscriptionStreamName(workspaceId, subscriptionId));
    return events as Recorded<SubscriptionEvent>[];
  }

  /** Applies the ends of periods and other changes that an outage has delayed, so that the month is measured correctly. */
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
}

/** Tells whether a subscription ended so long before a month's end that its drafts were accrued in earlier months. */
export function isLongOver({ canceledAt }: Pick<Subscription, 'canceledAt'>, at: Instant): boolean {
  return canceledAt !== null && canceledAt < addSeconds(at, -LONG_OVER_DAYS * DAY);
}
