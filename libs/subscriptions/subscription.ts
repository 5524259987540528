import type { BillingThresholds } from '#libs/catalog';
import { InvalidRequest, NotFound, type Instant } from '#libs/core';
import { existing } from '#libs/event-store';
import { committedAfter, committedSince, withBill, type Committed } from './committed.js';
import { isPrepaymentOf, prepaidBy, type PrepaidFee } from './prepaid.js';
import type {
  Bill,
  BillingPeriod,
  CancelReason,
  RequestedAmendment,
  SubscriptionAgreement,
  SubscriptionEvent,
  SubscriptionItem,
  SubscriptionPhase,
} from './events.js';

export const SUBSCRIPTION_STATUSES = [
  'pending',
  'trialing',
  'active',
  'past_due',
  'paused',
  'canceled',
] as const;
/** `failed`: what it asks for had become impossible when its time came. */
export const AMENDMENT_STATUSES = ['scheduled', 'applied', 'canceled', 'failed'] as const;
export type AmendmentStatus = (typeof AMENDMENT_STATUSES)[number];

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** A change of terms that was made, or is to be. */
export interface Amendment extends RequestedAmendment {
  status: AmendmentStatus;
  requestedAt: Instant;
  effectiveAt: Instant;
  /** What it led to billing, if anything. */
  invoiceId: string | null;
  /** Why it could not be made when its time had come. */
  failure: { code: string; message: string } | null;
}

/** A subscription as its events tell. `period` is the present one: the first that has not been billed to its end. */
export interface Subscription extends SubscriptionAgreement {
  phase: SubscriptionPhase;
  /** The phase; `past_due` for an active one that owes an invoice whose charge failed. */
  status: SubscriptionStatus;
  period: BillingPeriod;
  /** When it is to be paused, and resumed again if that is known. */
  plannedPause: { pauseAt: Instant; resumeAt: Instant | null } | null;
  pausedAt: Instant | null;
  /** When a paused one goes on, if that has been decided. */
  resumeAt: Instant | null;
  /** When it is to end, if that has been decided. */
  cancelAt: Instant | null;
  canceledAt: Instant | null;
  cancelReason: CancelReason | null;
  /** The invoices whose charge failed, and that are still to be paid. */
  overdueInvoices: string[];
  /** What was billed in advance, for time that had not passed when it was last billed. */
  prepaid: PrepaidFee[];
  /** What its present period comes to at least, and what was charged of that. */
  committed: Committed;
  /** The invoices of which something was given back. */
  givenBack: string[];
  /** In the order in which they were asked for. */
  amendments: Amendment[];
  /** The newest bill, whose invoice may still be in the making. */
  lastBill: Bill | null;
  /** How many bills there were: tells those of one instant apart. */
  billCount: number;
}

/** The subscription, or NotFound if there never was one. */
export function requireSubscription(
  subscriptionId: string,
  subscription: Subscription | undefined,
): Subscription {
  if (!subscription) throw NotFound.of('subscription', subscriptionId);
  return subscription;
}

/** Refuses what makes no sense for a subscription that has ended. */
export function requireLive(subscription: Subscription): void {
  if (subscription.phase === 'canceled')
    throw new InvalidRequest(
      'subscription_canceled',
      `The subscription ended at ${subscription.canceledAt}; nothing more can be done with it`,
    );
}

/** When its usage is invoiced before the period is over: as was agreed with it, or as its plan says; null for never. */
export function thresholdsOf({
  ownBillingThresholds: own,
  billingThresholds,
}: Pick<Subscription, 'ownBillingThresholds' | 'billingThresholds'>): BillingThresholds | null {
  return own === undefined ? (billingThresholds ?? null) : own;
}

/** Whether it was paused before the end of its trial, which goes on when it is resumed. */
export function isTrialPaused({ trialEnd, pausedAt }: Subscription): boolean {
  return trialEnd !== null && pausedAt !== null && pausedAt < trialEnd;
}

/** What time brings to a subscription, in the order in which it happens where it falls on one instant. */
export type DueKind = 'cancellation' | 'pause' | 'amendment' | 'resumption' | 'boundary';

/** What becomes due next, and when; null for a subscription that has ended, or is paused until somebody resumes it. */
export function nextDue(subscription: Subscription): { at: Instant; kind: DueKind } | null {
  const { phase, period, cancelAt, plannedPause, resumeAt } = subscription;
  if (phase === 'canceled') return null;
  const runs = phase !== 'paused';
  const candidates: [DueKind, Instant | null][] = [
    ['cancellation', cancelAt],
    ['pause', runs ? (plannedPause?.pauseAt ?? null) : null],
    ['amendment', nextAmendment(subscription)?.effectiveAt ?? null],
    ['resumption', runs ? null : resumeAt],
    ['boundary', runs ? period.end : null],
  ];
  return candidates.reduce<{ at: Instant; kind: DueKind } | null>(
    (first, [kind, at]) => (at !== null && (first === null || at < first.at) ? { at, kind } : first),
    null,
  );
}

/** The scheduled change of terms that comes first. */
export function nextAmendment({ amendments }: Subscription): Amendment | undefined {
  return amendments
    .filter(({ status }) => status === 'scheduled')
    .reduce<Amendment | undefined>(
      (first, one) => (first === undefined || one.effectiveAt < first.effectiveAt ? one : first),
      undefined,
    );
}

/** Whether something has come that was due, but not been done. */
export function isDue(subscription: Subscription, now: Instant): boolean {
  const next = nextDue(subscription);
  return next !== null && next.at <= now;
}

export function evolve(state: Subscription | undefined, event: SubscriptionEvent): Subscription {
  const next =
    event.type === 'SubscriptionCreated' ? created(event.data) : changed(existing(state, event), event);
  return { ...next, status: statusOf(next), committed: committedBy(event, state, next) };
}

/** What is committed to begins anew with each period that is charged. */
function committedBy(
  { data }: SubscriptionEvent,
  before: Subscription | undefined,
  after: Subscription,
): Committed {
  const bill = 'bill' in data ? data.bill : null;
  const { start } = after.period;
  if (before?.phase !== after.phase) return committedSince(after, start, bill);
  const { committed, period } = before;
  if (period.start !== start) return committedSince(after, start, bill, committed.billed);
  return 'change' in data && 'items' in data
    ? committedAfter(committed, after, data.at, bill)
    : withBill(committed, bill);
}

function statusOf({ phase, overdueInvoices }: Subscription): SubscriptionStatus {
  return phase === 'active' && overdueInvoices.length > 0 ? 'past_due' : phase;
}

type DataOf<Type extends SubscriptionEvent['type']> = Extract<SubscriptionEvent, { type: Type }>['data'];

function created({ bill, ...agreement }: DataOf<'SubscriptionCreated'>): Subscription {
  return {
    ...agreement,
    status: agreement.phase,
    plannedPause: null,
    pausedAt: null,
    resumeAt: null,
    cancelAt: null,
    canceledAt: null,
    cancelReason: null,
    overdueInvoices: [],
    prepaid: bill === null ? [] : prepaidBy(bill),
    committed: committedSince(agreement, agreement.period.start, bill),
    givenBack: [],
    amendments: [],
    lastBill: bill,
    billCount: bill === null ? 0 : 1,
  };
}

function changed(
  subscription: Subscription,
  event: Exclude<SubscriptionEvent, { type: 'SubscriptionCreated' }>,
): Subscription {
  switch (event.type) {
    case 'SubscriptionStarted': {
      const { phase, period, bill } = event.data;
      return billed({ ...subscription, phase, period }, bill);
    }
    case 'SubscriptionTrialEnded': {
      const { period, bill } = event.data;
      return billed({ ...subscription, phase: 'active', period }, bill);
    }
    case 'SubscriptionRenewed': {
      const { period, bill } = event.data;
      return billed({ ...subscription, period }, bill);
    }
    case 'SubscriptionUsageBilled':
      return billed(subscription, event.data.bill);
    case 'SubscriptionPauseScheduled': {
      const { pauseAt, resumeAt } = event.data;
      return { ...subscription, plannedPause: { pauseAt, resumeAt } };
    }
    case 'SubscriptionPauseWithdrawn':
      return { ...subscription, plannedPause: null };
    case 'SubscriptionPaused': {
      const { at, resumeAt, bill } = event.data;
      const paused = {
        ...subscription,
        phase: 'paused' as const,
        plannedPause: null,
        pausedAt: at,
        resumeAt,
        prepaid: [],
      };
      return billed(paused, bill);
    }
    case 'SubscriptionResumptionScheduled':
      return { ...subscription, resumeAt: event.data.resumeAt };
    case 'SubscriptionResumed': {
      const { at, phase, anchor, trialEnd, period, bill } = event.data;
      const since = phase === 'trialing' ? trialEnd! : at;
      const items = subscription.items.map((item) => ({ ...item, since }));
      const resumed = {
        ...subscription,
        phase,
        anchor,
        trialEnd,
        period,
        items,
        pausedAt: null,
        resumeAt: null,
      };
      return billed(resumed, bill);
    }
    case 'SubscriptionAmendmentScheduled': {
      const { at, effectiveAt, amendmentId, kind, change, prorate } = event.data;
      const scheduled: Amendment = {
        ...{ amendmentId, kind, change, prorate, effectiveAt },
        ...{ status: 'scheduled', requestedAt: at, invoiceId: null, failure: null },
      };
      return { ...subscription, amendments: [...subscription.amendments, scheduled] };
    }
    case 'SubscriptionAmendmentCanceled':
      return withAmendment(subscription, event.data.amendmentId, { status: 'canceled' });
    case 'SubscriptionAmendmentFailed': {
      const { amendmentId, code, message } = event.data;
      return withAmendment(subscription, amendmentId, { status: 'failed', failure: { code, message } });
    }
    case 'SubscriptionAmended':
      return amended(subscription, event.data);
    case 'SubscriptionPaymentFailed': {
      const others = subscription.overdueInvoices.filter((id) => id !== event.data.invoiceId);
      return { ...subscription, overdueInvoices: [...others, event.data.invoiceId] };
    }
    case 'SubscriptionPaymentSettled': {
      const left = subscription.overdueInvoices.filter((id) => id !== event.data.invoiceId);
      return { ...subscription, overdueInvoices: left };
    }
    case 'SubscriptionCancellationScheduled':
      return { ...subscription, cancelAt: event.data.at };
    case 'SubscriptionCancellationWithdrawn':
      return { ...subscription, cancelAt: null };
    case 'SubscriptionCanceled': {
      const { at, reason, bill } = event.data;
      const canceled = {
        ...subscription,
        phase: 'canceled' as const,
        plannedPause: null,
        resumeAt: null,
        cancelAt: at,
        canceledAt: at,
        cancelReason: reason,
        prepaid: [],
        amendments: subscription.amendments.map((amendment) =>
          amendment.status === 'scheduled' ? { ...amendment, status: 'canceled' as const } : amendment,
        ),
      };
      return billed(canceled, bill);
    }
  }
}

function amended(subscription: Subscription, data: DataOf<'SubscriptionAmended'>): Subscription {
  const { planId, planVersion, planName, anchor, billingInterval, items, period, bill } = data;
  const { amendmentId, kind, change, prorate, at, minimumCommitment, billingThresholds } = data;
  const applied = { status: 'applied', effectiveAt: at, invoiceId: bill?.invoiceId ?? null } as const;
  const isKnown = subscription.amendments.some((one) => one.amendmentId === amendmentId);
  const known = isKnown
    ? withAmendment(subscription, amendmentId, applied)
    : {
        ...subscription,
        amendments: [
          ...subscription.amendments,
          { amendmentId, kind, change, prorate, requestedAt: at, failure: null, ...applied },
        ],
      };
  // What is given back, or charged anew, is not prepaid any more.
  const settled = (bill?.charges ?? []).map(({ price, quantity = '1' }) => ({ price, quantity, since: at }));
  const prepaid = subscription.prepaid.filter(
    (fee) =>
      items.some((item) => isPrepaymentOf(fee, item)) && !settled.some((item) => isPrepaymentOf(fee, item)),
  );
  // Whoever canceled for the end of the period has paid for the one that begins now.
  const cancelAt = known.cancelAt === known.period.end ? period.end : known.cancelAt;
  const named = { planId, planVersion, planName, minimumCommitment, billingThresholds };
  const terms = { ...named, anchor, billingInterval, items, period };
  return billed({ ...known, ...terms, prepaid, cancelAt }, bill);
}

function withAmendment(
  subscription: Subscription,
  amendmentId: string,
  change: Partial<Amendment>,
): Subscription {
  return {
    ...subscription,
    amendments: subscription.amendments.map((amendment) =>
      amendment.amendmentId === amendmentId ? { ...amendment, ...change } : amendment,
    ),
  };
}

/** What a bill charges in arrears is not charged again; what it charges in advance can be given back. */
function billed(subscription: Subscription, bill: Bill | null): Subscription {
  if (bill === null) return subscription;
  const items = bill.kind === 'progressive' ? invoicedBy(subscription, bill) : chargedBy(subscription, bill);
  const prepaid = [
    ...subscription.prepaid.filter(({ service }) => service.end > bill.billedAt),
    ...prepaidBy(bill),
  ];
  const refunded = bill.charges.flatMap(({ refund }) => refund?.invoiceId ?? []);
  const givenBack = [...new Set([...subscription.givenBack, ...refunded])];
  const billCount = subscription.billCount + 1;
  return { ...subscription, items, prepaid, givenBack, lastBill: bill, billCount };
}

/** What is charged to its end begins anew from there. */
function chargedBy({ items }: Subscription, bill: Bill): SubscriptionItem[] {
  const through = new Map(
    bill.charges
      .filter(({ price }) => price.timing === 'in_arrears' && price.cadence !== 'one_time')
      .map(({ price, service }) => [price.priceId, service.end]),
  );
  return items.map((item) => {
    const end = through.get(item.price.priceId);
    if (end === undefined || end < item.since) return item;
    const { invoicedBy: _, ...left } = item;
    return { ...left, since: end };
  });
}

/** What is charged within a period goes on, and is to be left out of what is charged at its end. */
function invoicedBy({ items }: Subscription, { invoiceId, charges }: Bill): SubscriptionItem[] {
  const charged = new Set(charges.map(({ price }) => price.priceId));
  return items.map((item) =>
    charged.has(item.price.priceId) ? { ...item, invoicedBy: [...(item.invoicedBy ?? []), invoiceId] } : item,
  );
}
