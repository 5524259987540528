import type { BillingThresholds } from '#libs/contexts/catalog';
import { Conflict, type Instant } from '#libs/kernel/core';
import { anchorFor, billingInterval, periodFrom, trialEnd } from '#libs/rating';
import { firstBill } from '../bill.js';
import type { BillingPeriod, SubscribedPlan, SubscriptionAgreement, SubscriptionEvent } from '../events.js';
import { checkQuantities, type Quantities } from '../quantities.js';
import type { Subscription } from '../subscription.js';

export interface CreateSubscription {
  type: 'CreateSubscription';
  subscriptionId: string;
  customerId: string;
  plan: SubscribedPlan;
  timezone: string;
  /** In the past, its periods since then are billed one after the other; in the future, it is pending until then. */
  startsAt: Instant;
  trialDays: number;
  /** Units of fees; one of those that are not named. */
  quantities: Quantities;
  anchorDay: number | null;
  /** In place of the plan's, null for never; undefined: as the plan says. */
  billingThresholds?: BillingThresholds | null | undefined;
  metadata: Record<string, unknown>;
  /** The integrator's own id, from which the subscription's id derives; undefined: none. */
  externalId?: string | undefined;
  /** Of one with an external id: the same each time that the command runs. */
  createdBy?: string | undefined;
  at: Instant;
}

/**
 * A subscription's id derives from the command that creates it, so an existing one was created by this command. With an external id, the id
 * derives from that, so the stream lets one of several commands win. Conflict (`external_id_in_use`) for the others.
 */
export function createSubscription(
  command: CreateSubscription,
  subscription: Subscription | undefined,
): SubscriptionEvent[] {
  if (subscription) {
    if (subscription.createdBy === command.createdBy) return [];
    throw new Conflict(
      'external_id_in_use',
      `The externalId "${command.externalId}" is that of subscription ${subscription.subscriptionId}; choose another`,
      [{ field: 'externalId', message: 'is taken' }],
    );
  }
  const {
    subscriptionId,
    customerId,
    plan,
    timezone,
    startsAt,
    trialDays,
    quantities,
    anchorDay,
    billingThresholds: own,
    metadata,
    externalId,
    createdBy,
    at,
  } = command;
  const { prices, ...named } = plan;
  checkQuantities(quantities, prices);
  const interval = billingInterval(prices);
  const freeUntil = trialDays > 0 ? trialEnd(startsAt, trialDays, timezone) : null;
  const since = freeUntil ?? startsAt;
  const { anchor } = anchorFor(since, timezone, interval, alignmentTo(anchorDay));
  const agreement: Omit<SubscriptionAgreement, 'createdAt'> = {
    subscriptionId,
    customerId,
    ...named,
    timezone,
    anchor,
    anchorDay,
    startedAt: startsAt,
    trialEnd: freeUntil,
    billingInterval: interval,
    items: prices.map((price) => ({ price, quantity: quantities[price.priceId] ?? '1', since })),
    ...(own === undefined ? {} : { ownBillingThresholds: own }),
    metadata,
    ...(externalId === undefined ? {} : { externalId, createdBy }),
  };
  const phase = startsAt > at ? 'pending' : startingPhase(agreement);
  const period = phase === 'pending' ? emptyPeriod(startsAt) : startingPeriod(agreement);
  const bill = phase === 'active' ? firstBill({ ...agreement, period, billCount: 0 }) : null;
  return [{ type: 'SubscriptionCreated', data: { at, ...agreement, phase, period, bill } }];
}

/** What a subscription is in when it starts: its trial, if it has one. */
export function startingPhase({
  trialEnd: end,
}: Pick<SubscriptionAgreement, 'trialEnd'>): 'trialing' | 'active' {
  return end === null ? 'active' : 'trialing';
}

/** The period that a subscription starts with: its trial, if it has one. */
export function startingPeriod(agreement: Omit<SubscriptionAgreement, 'createdAt'>): BillingPeriod {
  const { startedAt, trialEnd: end, billingInterval: interval } = agreement;
  return end === null ? periodFrom(agreement, interval, startedAt) : { index: 0, start: startedAt, end };
}

/** Where the boundaries lie: on a day of the month that was chosen, or where the charged time begins. */
export function alignmentTo(anchorDay: number | null) {
  return anchorDay === null ? 'start' : { dayOfMonth: anchorDay };
}

function emptyPeriod(at: Instant): BillingPeriod {
  return { index: 0, start: at, end: at };
}
