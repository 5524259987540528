import type { BillingThresholds } from '#libs/contexts/catalog';
import type { LicenseCounts } from '#libs/contexts/licenses';
import { Conflict, type Instant } from '#libs/kernel/core';
import { anchorFor, billingIntervalOf, periodFrom, trialEnd } from '#libs/rating';
import { firstBill } from '../bill.js';
import type { BillingPeriod, SubscribedPlan, SubscriptionAgreement, SubscriptionEvent } from '../events.js';
import { checkQuantities, type Quantities } from '../quantities.js';
import { initialSeats, refuseSeatQuantities } from '../seats.js';
import { refuseLargePrices } from '../stored-size.js';
import type { Subscription } from '../subscription.js';

/** Creates a subscription to a plan. */
export interface CreateSubscription {
  type: 'CreateSubscription';
  subscriptionId: string;
  customerId: string;
  plan: SubscribedPlan;
  timezone: string;
  /**
   * The start of the subscription. If the start is in the past, the periods since the start are billed one after the other. If the start is
   * in the future, the subscription is pending until then.
   */
  startsAt: Instant;
  trialDays: number;
  /** The units of fees. A fee that is not listed has one unit. A price for licenses has the counted seats, and cannot be listed. */
  quantities: Quantities;
  /** The customer's licenses. Undefined if no price of the plan charges for licenses. */
  licenses?: LicenseCounts | undefined;
  /** The day of the month on which billing periods begin. If null, billing periods are counted from the start of the charged time. */
  anchorDay: number | null;
  /** The billing thresholds that replace the plan's thresholds. If null, there are none. If undefined, the plan's apply. */
  billingThresholds?: BillingThresholds | null | undefined;
  metadata: Record<string, unknown>;
  /** The integrator's own id for the subscription. `subscriptionId` is derived from it. Undefined if the integrator gave no id. */
  externalId?: string | undefined;
  /**
   * Identifies the command that creates a subscription with an external id. The value is the same each time that the command is repeated.
   */
  createdBy?: string | undefined;
  /** The workspace's time at which the subscription is created. It can be before or after `startsAt`. */
  at: Instant;
}

/**
 * Creates the subscription, or does nothing if the same command has already created it. Without an external id, the subscription's id is
 * derived from the command. With an external id, the subscription's id is derived from it, so several commands can compete for one stream.
 * Only one of the competing commands creates the subscription. The other competing commands get Conflict (`external_id_in_use`).
 */
export function createSubscription(
  command: CreateSubscription,
  subscription: Subscription | undefined,
): SubscriptionEvent[] {
  if (subscription) {
    if (subscription.createdBy === command.createdBy) return [];
    throw new Conflict(
      'external_id_in_use',
      `The externalId "${command.externalId}" belongs to subscription ${subscription.subscriptionId}; choose another`,
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
    licenses,
    anchorDay,
    billingThresholds: own,
    metadata,
    externalId,
    createdBy,
    at,
  } = command;
  const { prices, ...named } = plan;
  checkQuantities(quantities, prices);
  refuseSeatQuantities(quantities, prices);
  refuseLargePrices('planId', prices);
  const interval = billingIntervalOf(prices);
  const freeUntil = trialDays > 0 ? trialEnd(startsAt, trialDays, timezone) : null;
  const since = freeUntil ?? startsAt;
  const { anchor } = anchorFor(since, timezone, interval, boundaryAlignment(anchorDay));
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
    items: prices.map((price) => ({
      price,
      quantity: initialSeats(licenses, price) ?? quantities[price.priceId] ?? '1',
      since,
    })),
    ...(licenses === undefined ? {} : { licenses }),
    ...(own === undefined ? {} : { ownBillingThresholds: own }),
    metadata,
    ...(externalId === undefined ? {} : { externalId, createdBy }),
  };
  const phase = startsAt > at ? 'pending' : startingPhase(agreement);
  const period = phase === 'pending' ? emptyPeriod(startsAt) : startingPeriod(agreement);
  const bill = phase === 'active' ? firstBill({ ...agreement, period, billCount: 0 }) : null;
  return [{ type: 'SubscriptionCreated', data: { at, ...agreement, phase, period, bill } }];
}

/** Returns the phase at the start of a subscription: `trialing` if it has a trial, and `active` if not. */
export function startingPhase({
  trialEnd: end,
}: Pick<SubscriptionAgreement, 'trialEnd'>): 'trialing' | 'active' {
  return end === null ? 'active' : 'trialing';
}

/** Returns the first period of a subscription: its trial, or the first charged period if it has no trial. */
export function startingPeriod(agreement: Omit<SubscriptionAgreement, 'createdAt'>): BillingPeriod {
  const { startedAt, trialEnd: end, billingInterval: interval } = agreement;
  return end === null ? periodFrom(agreement, interval, startedAt) : { index: 0, start: startedAt, end };
}

/** Returns the alignment of period boundaries: the chosen day of the month, or the start of the charged time. */
export function boundaryAlignment(anchorDay: number | null) {
  return anchorDay === null ? 'start' : { dayOfMonth: anchorDay };
}

function emptyPeriod(at: Instant): BillingPeriod {
  return { index: 0, start: at, end: at };
}
