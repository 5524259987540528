import {
  type Instant,
  instantToMillis,
  InvalidRequest,
  laterOf,
  NotFound,
  omit,
  StateConflict,
} from '#libs/kernel/core';
import { chargesOwed, isFeeInAdvance, type PriceSnapshot } from '#libs/rating';
import { amendmentBill, amendmentWhilePausedBill } from '../bill.js';
import { markChargedUntil } from '../apply-bill.js';
import { amendmentsWithInstant, nextAmendment } from '../next-due.js';
import type {
  Bill,
  EndedVoidFees,
  FeeReplacement,
  RequestedAmendment,
  RunReference,
  SubscriptionEvent,
  SubscriptionItem,
  TermsChange,
} from '../events.js';
import { ownPricesAfter } from '../own-prices.js';
import { reconcilePrepaidFees } from '../prepaid.js';
import { refuseSeatQuantities } from '../seats.js';
import { refuseLargeChange, refuseLargeEvent } from '../stored-size.js';
import {
  isTrialPaused,
  requireNotEnded,
  scheduledPlanChanges,
  type Amendment,
  type Subscription,
} from '../subscription.js';
import {
  amendedTerms,
  pricesAfterChange,
  NOTHING_TO_AMEND,
  type AmendedTerms,
  type ChangeTiming,
} from './amended-terms.js';
import { requireNothingDue } from './require-nothing-due.js';

/** Changes the plan, prices or quantities of a subscription now. */
export interface AmendSubscription extends RequestedAmendment {
  type: 'AmendSubscription';
  subscriptionId: string;
  /** The workspace's time at which the change is requested. The change takes effect at once. */
  at: Instant;
  /** True if the change replaces all scheduled changes of the plan. Otherwise they stay. */
  replacesPlanChanges?: boolean;
}

/** Schedules a change of the plan, prices or quantities of a subscription. */
export interface ScheduleAmendment extends RequestedAmendment {
  type: 'ScheduleAmendment';
  subscriptionId: string;
  /** The workspace's time at which the change is scheduled. `effectiveAt` must be later. */
  at: Instant;
  /** The time of the change: an instant, or `period_end`. */
  effectiveAt: string;
}

/** Cancels a scheduled change. */
export interface CancelAmendment {
  type: 'CancelAmendment';
  subscriptionId: string;
  amendmentId: string;
  /** The workspace's time at which the scheduled change is canceled. */
  at: Instant;
}

const MAX_SCHEDULED = 20;
/** The maximum number of years that a change can be scheduled ahead, because a preview computes every period until then. */
const MAX_YEARS = 10;

export function amendSubscription(
  { at, replacesPlanChanges = false, ...amendment }: AmendSubscription,
  subscription: Subscription,
): SubscriptionEvent[] {
  // A price migration can make this amendment in its batch and at the renewal. Both use the same id.
  if (subscription.amendments.some(({ amendmentId }) => amendmentId === amendment.amendmentId)) return [];
  requireNotEnded(subscription);
  requireNothingDue(subscription, at);
  refuseImpossiblePrices(subscription, amendment.change);
  const { phase, period } = subscription;
  // A boundary may have been passed after the caller read the clock.
  const from = phase === 'active' ? laterOf(at, period.start) : at;
  const replaced = replacesPlanChanges ? scheduledPlanChanges(subscription) : [];
  return [
    ...replaced.map((one) => replacedBy(amendment.amendmentId, one, subscription)),
    amended(subscription, amendment, { at: from, run: null }),
  ];
}

export function scheduleAmendment(
  { amendmentId, kind, change, prorate, effectiveAt, at }: ScheduleAmendment,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireNotEnded(subscription);
  requireNothingDue(subscription, at);
  const { subscriptionId, customerId, phase, period, amendments } = subscription;
  const atPeriodEnd = effectiveAt === 'period_end';
  if (atPeriodEnd && phase === 'paused')
    throw InvalidRequest.field('effectiveAt', 'must be an instant, as the subscription is paused');
  const from = atPeriodEnd ? period.end : effectiveAt;
  if (from <= at) throw InvalidRequest.field('effectiveAt', `must be in the future; it is ${at}`);
  if (instantToMillis(from) - instantToMillis(at) > MAX_YEARS * 366 * 86_400_000)
    throw InvalidRequest.field('effectiveAt', `must be within ${MAX_YEARS} years; it is ${at}`);
  const scheduled = amendments.filter(({ status }) => status === 'scheduled');
  // During a pause, a change for the end of the period has no instant.
  const waits = (one: Amendment) => one.atPeriodEnd && phase === 'paused';
  const replaced = scheduled.filter((one) => one.effectiveAt === from && !waits(one));
  if (scheduled.length - replaced.length >= MAX_SCHEDULED)
    throw new StateConflict(
      'too_many_amendments',
      `At most ${MAX_SCHEDULED} amendments can be scheduled at a time; cancel one first`,
    );
  // Refuses a change that would fail with the terms that the subscription will have by then.
  const before = withEarlierAmendments(subscription, from);
  refuseImpossiblePrices(before, change);
  amendedTerms(before, change, { at: laterOf(at, period.start), prorate, kind });
  const data = { subscriptionId, customerId, amendmentId, kind, change, prorate, effectiveAt: from, at };
  return [
    ...replaced.map((one) => replacedBy(amendmentId, one, subscription)),
    { type: 'SubscriptionAmendmentScheduled', data: { ...data, ...(atPeriodEnd ? { atPeriodEnd } : {}) } },
  ];
}

/**
 * Returns the subscription with the terms that it will have just before an instant, if only its scheduled changes are applied. A scheduled
 * change that would fail or be skipped is left out. Everything but the terms is as it is now.
 */
function withEarlierAmendments(subscription: Subscription, instant: Instant): Subscription {
  const earlier = amendmentsWithInstant(subscription)
    .filter(({ effectiveAt }) => effectiveAt < instant)
    .sort((a, b) => (a.effectiveAt < b.effectiveAt ? -1 : a.effectiveAt > b.effectiveAt ? 1 : 0));
  return earlier.reduce((state, amendment) => {
    if (isOfAnotherPlan(amendment, state)) return state;
    const { change, prorate, kind, effectiveAt: at } = amendment;
    try {
      const terms = amendedTerms(state, change, { at, prorate, kind });
      const { planId, planVersion, planName, planNameTranslations, billingInterval, items } = terms;
      const ownPrices = ownPricesAfter(state, change);
      const plan = { planId, planVersion, planName, planNameTranslations };
      return { ...state, ...plan, billingInterval, items, ownPrices };
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      return state;
    }
  }, subscription);
}

export function cancelAmendment(
  { amendmentId, at }: CancelAmendment,
  subscription: Subscription,
): SubscriptionEvent[] {
  requireNothingDue(subscription, at);
  const { subscriptionId, customerId, amendments } = subscription;
  const amendment = amendments.find((one) => one.amendmentId === amendmentId);
  if (!amendment) throw NotFound.of('amendment', amendmentId);
  if (amendment.status !== 'scheduled')
    throw new StateConflict(
      'amendment_not_scheduled',
      `The amendment is ${amendment.status}; only a scheduled one can be canceled`,
    );
  return [{ type: 'SubscriptionAmendmentCanceled', data: { subscriptionId, customerId, amendmentId } }];
}

/**
 * Applies a scheduled change (an amendment) at its time. The change is skipped if the subscription already has the requested terms, or has
 * left the plan whose newer version was requested. The scheduled change fails if it has become impossible. A skipped or failed change does
 * not stop other due changes. Unless the change fails, it cancels older scheduled changes that are due at the same instant. A change that
 * waits for the end of a pause is not due.
 */
export function applyAmendment(
  subscription: Subscription,
  at: Instant,
  run: RunReference,
): SubscriptionEvent[] {
  const { subscriptionId, customerId } = subscription;
  const amendment = nextAmendment(subscription)!;
  const { amendmentId, effectiveAt } = amendment;
  const replaced = amendmentsWithInstant(subscription)
    .filter((one) => one.effectiveAt === effectiveAt && one !== amendment)
    .map((one) => replacedBy(amendmentId, one, subscription));
  const skipped = { subscriptionId, customerId, amendmentId, at, run };
  if (isOfAnotherPlan(amendment, subscription))
    return [...replaced, { type: 'SubscriptionAmendmentSkipped', data: skipped }];
  try {
    return [...replaced, amended(subscription, amendment, { at, run })];
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    const { code, message } = error;
    return code === NOTHING_TO_AMEND
      ? [...replaced, { type: 'SubscriptionAmendmentSkipped', data: skipped }]
      : [{ type: 'SubscriptionAmendmentFailed', data: { ...skipped, code, message } }];
  }
}

/**
 * Tells whether the change is to a newer version of a plan that the subscription has left. Such a change would move the subscription back
 * to the plan that it has left.
 */
function isOfAnotherPlan({ kind, change }: Amendment, { planId }: Subscription): boolean {
  return kind === 'migrate' && change.plan?.planId !== planId;
}

function replacedBy(
  newer: string,
  { amendmentId }: Amendment,
  { subscriptionId, customerId }: Subscription,
): SubscriptionEvent {
  const data = { subscriptionId, customerId, amendmentId, replacedBy: newer };
  return { type: 'SubscriptionAmendmentCanceled', data };
}

/** Applies a price migration's change at its time. Null if the change is refused, so that other due changes continue. */
export function applyMigration(
  subscription: Subscription,
  amendment: RequestedAmendment,
  { due, run }: { due: Instant; run: RunReference },
): SubscriptionEvent | null {
  try {
    return amended(subscription, amendment, { at: due, run });
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return null;
  }
}

/** Refuses a requested change that names quantities of seats, or that brings prices that are too large. */
function refuseImpossiblePrices(subscription: Subscription, change: TermsChange): void {
  const after = pricesAfterChange(subscription, change);
  refuseSeatQuantities(change.quantities, after);
  refuseLargeChange(change, after);
}

function amended(
  subscription: Subscription,
  { amendmentId, kind, change, prorate, migrationId }: RequestedAmendment,
  { at, run }: { at: Instant; run: RunReference | null },
): SubscriptionEvent {
  const { subscriptionId, customerId, currency, planId, planVersion, phase, period } = subscription;
  const terms = amendedTerms(subscription, change, { at, prorate, kind });
  const billed = billChange(subscription, terms, { at, prorate });
  const { replacements } = terms;
  const agreed = omit(terms, ['kept', 'removed', 'added', 'restartsPeriods', 'replacements']);
  const event: SubscriptionEvent = {
    type: 'SubscriptionAmended',
    data: {
      subscriptionId,
      customerId,
      amendmentId,
      kind,
      change,
      prorate,
      at,
      ...(migrationId === undefined ? {} : { migrationId }),
      from: { planId, planVersion },
      currency,
      ...agreed,
      ...billed,
      run,
      ...(replacements.length > 0 ? { replacements: [...replacements] } : {}),
      ...(phase === 'active' && at === period.end ? { endsPeriod: true } : {}),
    },
  };
  refuseLargeEvent(event);
  return event;
}

/** The bill of a change, the items after that bill, and the fees that the change ends although their invoices are void. */
interface ChargedChange extends EndedVoidFees {
  bill: Bill | null;
  items: SubscriptionItem[];
}

/**
 * Computes the bill of a change of the terms at an instant. The bill charges the new terms and gives back prepaid fees that they do not
 * owe. A subscription in a trial, or before its start, gets no bill. A paused subscription is billed only for new one-time prices.
 */
export function billChange(
  subscription: Subscription,
  amended: AmendedTerms,
  { at, prorate }: ChangeTiming,
): ChargedChange {
  const { kept, removed, added, restartsPeriods, replacements, ...terms } = amended;
  const after = { ...subscription, minimumCommitment: undefined, ...terms };
  switch (subscription.phase) {
    case 'active': {
      const { endedVoidFees, ...settled } = reconcilePrepaidFees(
        subscription.prepaid,
        { kept, added },
        after,
        {
          at,
          settles: prorate || restartsPeriods,
        },
      );
      const endOfArrears = (item: SubscriptionItem) => endOfEndedFee(item, amended, { at, prorate });
      const change = { at, kept, removed, added, endOfArrears, after, restartsPeriods, ...settled };
      const items = terms.items.map((item) =>
        markChargedUntil(item, chargesOwed(after, item, at).at(-1)?.service.end),
      );
      const bill = amendmentBill(subscription, change);
      return {
        bill,
        items: items.map((item) => waitingForChargedAhead(item, bill, amended)),
        ...(endedVoidFees.length > 0 ? { endedVoidFees } : {}),
      };
    }
    case 'paused': {
      // A paused trial continues after the pause. The first bill after the trial charges all one-time prices.
      const bill = isTrialPaused(subscription) ? null : amendmentWhilePausedBill(subscription, added, at);
      return { bill, items: terms.items };
    }
    case 'pending':
    case 'trialing':
    case 'canceled':
      return { bill: null, items: terms.items };
  }
}

/**
 * Returns the instant up to which the old terms charge an item that ends, unless the item is a fee in advance. Usage is charged up to the
 * change. Without proration, a fee in arrears leaves the present billing period to the fee in arrears that takes its place. Without such a
 * fee, nothing else charges this period, so the ended fee is charged for the whole of it.
 */
function endOfEndedFee(
  { price, since }: SubscriptionItem,
  { added, replacements, period }: AmendedTerms,
  { at, prorate }: ChangeTiming,
): Instant {
  if (prorate || price.metricId !== null || since > at) return at;
  const hasSuccessorInArrears = added.some(
    (item) => !isFeeInAdvance(item.price) && takesPlaceOf(item, price, replacements),
  );
  return hasSuccessorInArrears || at === period.start ? period.start : period.end;
}

/**
 * Returns a new fee that waits for the time after the change for which the bill charges the ended fees whose place it takes. Otherwise, the
 * next prorated change would give this time back, although nothing else charges it.
 */
function waitingForChargedAhead(
  item: SubscriptionItem,
  bill: Bill | null,
  { added, replacements }: AmendedTerms,
): SubscriptionItem {
  if (bill === null || !added.some(({ price }) => price.priceId === item.price.priceId)) return item;
  const { invoiceId, billedAt, charges } = bill;
  const ahead = charges
    .filter(({ price, service, refund }) => !refund && price.metricId === null && service.end > billedAt)
    .filter(({ price }) => !isFeeInAdvance(price))
    .filter(({ price, service }) => service.end <= item.since && takesPlaceOf(item, price, replacements))
    .map(({ price: { priceId }, service }) => ({ invoiceId, priceId, service }));
  return ahead.length === 0 ? item : { ...item, waitsFor: [...(item.waitsFor ?? []), ...ahead] };
}

/** Tells whether an item takes the place of a fee that ends: it is the same price, or the fee is replaced by it. */
function takesPlaceOf(
  { price: { priceId: to } }: SubscriptionItem,
  { priceId: from }: PriceSnapshot,
  replacements: readonly FeeReplacement[],
): boolean {
  return to === from || replacements.some((one) => one.from === from && one.to === to);
}
