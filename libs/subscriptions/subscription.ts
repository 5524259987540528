import { isDeepStrictEqual } from 'node:util';
import { Conflict, InvalidRequest, laterOf, NotFound, type Instant } from '#libs/core';
import { defineDecider, existing } from '#libs/event-store';
import { billingInterval, periodOf, type PriceSnapshot } from '#libs/rating';
import { cycleBill, finalBill, firstBill, usageBill, type Billable } from './bill.js';
import {
  subscriptionEvents,
  type Bill,
  type CancelReason,
  type RunReference,
  type SubscriptionAgreement,
  type SubscriptionEvent,
} from './events.js';

export const SUBSCRIPTION_STATUSES = ['trialing', 'active', 'past_due', 'paused', 'canceled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** A subscription as its events tell. `period` is the present one: the first that has not been billed to its end. */
export interface Subscription extends SubscriptionAgreement, Billable {
  status: SubscriptionStatus;
  /** When it is to end, if that has been decided. */
  cancelAt: Instant | null;
  canceledAt: Instant | null;
  cancelReason: CancelReason | null;
  /** The newest bill, whose invoice may still be in the making. */
  lastBill: Bill | null;
  prices: PriceSnapshot[];
}

/** The plan that is subscribed to, in the version of now. */
export type SubscribedPlan = Pick<
  SubscriptionAgreement,
  'planId' | 'planVersion' | 'planName' | 'currency' | 'prices'
>;

export type SubscriptionCommand =
  | {
      type: 'CreateSubscription';
      subscriptionId: string;
      customerId: string;
      plan: SubscribedPlan;
      timezone: string;
      at: Instant;
    }
  | {
      /** Passes the boundary at which period `index` ends, if it has come and nobody else has. */
      type: 'RenewSubscription';
      subscriptionId: string;
      index: number;
      at: Instant;
      run: RunReference;
      /** Ends the subscription there instead. */
      endBecause: CancelReason | null;
    }
  /** The caller has measured `bill`, and found something to charge on it. */
  | { type: 'BillUsage'; subscriptionId: string; bill: Bill }
  | { type: 'CancelSubscription'; subscriptionId: string; immediately: boolean; at: Instant };

type Of<Type extends SubscriptionCommand['type']> = Extract<SubscriptionCommand, { type: Type }>;

export const subscriptionDecider = defineDecider<Subscription, SubscriptionCommand, SubscriptionEvent>({
  category: 'subscription',
  events: subscriptionEvents,
  decide(command, subscription) {
    switch (command.type) {
      case 'CreateSubscription':
        return createSubscription(command, subscription);
      case 'RenewSubscription':
        return renewSubscription(command, requireSubscription(command.subscriptionId, subscription));
      case 'BillUsage':
        return billUsage(command, requireSubscription(command.subscriptionId, subscription));
      case 'CancelSubscription':
        return cancelSubscription(command, requireSubscription(command.subscriptionId, subscription));
    }
  },
  evolve,
});

/** The subscription, or NotFound if there never was one. */
export function requireSubscription(
  subscriptionId: string,
  subscription: Subscription | undefined,
): Subscription {
  if (!subscription) throw NotFound.of('subscription', subscriptionId);
  return subscription;
}

/** Whether the boundary that ends the present period has come, but not been billed. */
export function isDue({ status, period }: Subscription, now: Instant): boolean {
  return status !== 'canceled' && period.end <= now;
}

/** The next bill, if nothing changes until then; null if there is none. */
export function upcomingBill(subscription: Subscription): Bill | null {
  if (subscription.status === 'canceled') return null;
  const { end } = subscription.period;
  return subscription.cancelAt === null ? cycleBill(subscription) : finalBill(subscription, end);
}

function createSubscription(command: Of<'CreateSubscription'>, subscription: Subscription | undefined) {
  const { subscriptionId, customerId, plan, timezone, at } = command;
  if (subscription) return [];
  const interval = billingInterval(plan.prices);
  const agreement: SubscriptionAgreement = {
    subscriptionId,
    customerId,
    ...plan,
    timezone,
    anchor: at,
    startedAt: at,
    createdAt: at,
    billingInterval: interval,
  };
  const period = { index: 0, ...periodOf(agreement, interval, 0) };
  const bill = firstBill({ ...agreement, period, billedThrough: {} });
  return [{ type: 'SubscriptionCreated', data: { ...agreement, period, bill } } as const];
}

/** A boundary is passed once: who comes second, or early, or after the end, finds nothing to do. */
function renewSubscription(
  command: Of<'RenewSubscription'>,
  subscription: Subscription,
): SubscriptionEvent[] {
  const { index, at, run, endBecause } = command;
  if (index !== subscription.period.index || !isDue(subscription, at)) return [];
  const { subscriptionId, customerId } = subscription;
  const { end } = subscription.period;
  const reason = subscription.cancelAt === null ? endBecause : 'requested';
  if (reason !== null) {
    const bill = finalBill(subscription, end);
    return [
      { type: 'SubscriptionCanceled', data: { subscriptionId, customerId, at: end, reason, bill, run } },
    ];
  }
  const period = { index: index + 1, ...periodOf(subscription, subscription.billingInterval, index + 1) };
  const bill = cycleBill(subscription);
  return [{ type: 'SubscriptionRenewed', data: { subscriptionId, customerId, period, bill, run } }];
}

/** Refused if anything was billed since the caller measured: what was measured is what is billed. */
function billUsage({ bill }: Of<'BillUsage'>, subscription: Subscription): SubscriptionEvent[] {
  requireLive(subscription);
  const { invoiceId, billedAt, charges } = bill;
  const priceIds = charges.map(({ price }) => price.priceId);
  if (!isDeepStrictEqual(usageBill(subscription, billedAt, invoiceId, priceIds), bill))
    throw new Conflict('subscription_changed', 'The subscription was billed at the same moment; try again');
  const { subscriptionId } = subscription;
  return [{ type: 'SubscriptionUsageBilled', data: { subscriptionId, through: billedAt, bill } }];
}

/** The caller has passed the boundaries that were due, so that the present period is the one that is cut. */
function cancelSubscription(
  command: Of<'CancelSubscription'>,
  subscription: Subscription,
): SubscriptionEvent[] {
  if (subscription.status === 'canceled')
    throw new InvalidRequest(
      'already_canceled',
      `The subscription ended at ${subscription.canceledAt}; it cannot be canceled again`,
    );
  if (isDue(subscription, command.at))
    throw new Conflict('billing_behind', 'The period that has just ended is being billed; try again');
  const { subscriptionId, customerId, period } = subscription;
  if (!command.immediately) {
    if (subscription.cancelAt !== null) return [];
    return [{ type: 'SubscriptionCancellationScheduled', data: { subscriptionId, at: period.end } }];
  }
  // A boundary can have been passed after the caller read the clock.
  const at = laterOf(command.at, period.start);
  const bill = finalBill(subscription, at);
  return [
    {
      type: 'SubscriptionCanceled',
      data: { subscriptionId, customerId, at, reason: 'requested', bill, run: null },
    },
  ];
}

/** Refuses what makes no sense for a subscription that has ended. */
export function requireLive(subscription: Subscription): void {
  if (subscription.status === 'canceled')
    throw new InvalidRequest(
      'subscription_canceled',
      `The subscription ended at ${subscription.canceledAt}; nothing more is invoiced for it`,
    );
}

function evolve(state: Subscription | undefined, event: SubscriptionEvent): Subscription {
  if (event.type === 'SubscriptionCreated') {
    const { bill, ...rest } = event.data;
    return {
      ...rest,
      status: 'active',
      cancelAt: null,
      canceledAt: null,
      cancelReason: null,
      billedThrough: {},
      lastBill: bill,
    };
  }
  const subscription = existing(state, event);
  switch (event.type) {
    case 'SubscriptionRenewed': {
      const { period, bill } = event.data;
      return { ...subscription, period, lastBill: bill ?? subscription.lastBill };
    }
    case 'SubscriptionUsageBilled': {
      const { through, bill } = event.data;
      const billed = Object.fromEntries(bill.charges.map(({ price }) => [price.priceId, through]));
      return { ...subscription, billedThrough: { ...subscription.billedThrough, ...billed }, lastBill: bill };
    }
    case 'SubscriptionCancellationScheduled':
      return { ...subscription, cancelAt: event.data.at };
    case 'SubscriptionCanceled': {
      const { at, reason, bill } = event.data;
      return {
        ...subscription,
        status: 'canceled',
        cancelAt: at,
        canceledAt: at,
        cancelReason: reason,
        lastBill: bill ?? subscription.lastBill,
      };
    }
  }
}
