import { requireCreated } from '#libs/kernel/domain';
import { applyBill } from './apply-bill.js';
import {
  commitmentAfterChange,
  startCommitment,
  isCommitmentSettled,
  addBillToCommitment,
  type CommitmentProgress,
} from './commitment-progress.js';
import { DEFAULT_CANCEL_OPTIONS, type SubscriptionEvent } from './events.js';
import { initialOwnPrices, ownPricesAfter } from './own-prices.js';
import { prepaidFeesAfterVoid, prepaidFeesWithoutEnded, prepaidFeesWithoutVoid } from './prepaid.js';
import { pausedItems } from './seats.js';
import type { Amendment, Subscription, SubscriptionStatus } from './subscription.js';

/** Applies an event to a subscription. */
export function evolve(state: Subscription | undefined, event: SubscriptionEvent): Subscription {
  const next = movePlannedToPeriodEnd(
    event.type === 'SubscriptionCreated' ? created(event.data) : changed(requireCreated(state, event), event),
  );
  return { ...next, status: statusOf(next), commitmentProgress: commitmentProgressAfter(event, state, next) };
}

/**
 * Moves the changes that are planned for the end of the period to the present period's end. A paused subscription has no period, so these
 * changes wait for the next period.
 */
function movePlannedToPeriodEnd(subscription: Subscription): Subscription {
  const { phase, period, plannedPause, cancelAt, cancelAtPeriodEnd, amendments } = subscription;
  if (phase === 'paused' || phase === 'canceled') return subscription;
  const { end } = period;
  const moves = ({ status, atPeriodEnd, effectiveAt }: Amendment) =>
    status === 'scheduled' && atPeriodEnd && effectiveAt !== end;
  return {
    ...subscription,
    ...(plannedPause?.atPeriodEnd ? { plannedPause: { ...plannedPause, pauseAt: end } } : {}),
    cancelAt: cancelAtPeriodEnd ? end : cancelAt,
    amendments: amendments.some(moves)
      ? amendments.map((one) => (moves(one) ? { ...one, effectiveAt: end } : one))
      : amendments,
  };
}

/**
 * Returns the progress of the minimum commitment after an event. A new commitment begins when the phase changes, such as at the first
 * charged period, and when the old commitment is settled.
 */
function commitmentProgressAfter(
  { data }: SubscriptionEvent,
  before: Subscription | undefined,
  after: Subscription,
): CommitmentProgress {
  const bill = 'bill' in data ? data.bill : null;
  const { start } = after.period;
  if (before?.phase !== after.phase) return startCommitment(after, start, bill);
  const { commitmentProgress: committed } = before;
  if (isCommitmentSettled(before, after)) return startCommitment(after, start, bill, committed.billed);
  return 'change' in data && 'items' in data
    ? commitmentAfterChange(committed, after, data.at, bill)
    : addBillToCommitment(committed, bill);
}

function statusOf({ phase, overdueInvoices }: Subscription): SubscriptionStatus {
  return phase === 'active' && overdueInvoices.length > 0 ? 'past_due' : phase;
}

type DataOf<Type extends SubscriptionEvent['type']> = Extract<SubscriptionEvent, { type: Type }>['data'];

function created({ bill, at: createdAt, ...data }: DataOf<'SubscriptionCreated'>): Subscription {
  const agreement = { ...data, createdAt };
  const agreed: Subscription = {
    ...agreement,
    status: agreement.phase,
    plannedPause: null,
    pausedAt: null,
    resumeAt: null,
    cancelAt: null,
    cancelAtPeriodEnd: false,
    cancelOptions: null,
    canceledAt: null,
    cancelReason: null,
    overdueInvoices: [],
    prepaid: [],
    commitmentProgress: startCommitment(agreement, agreement.period.start, bill),
    ownPrices: initialOwnPrices(agreement.items),
    amendments: [],
    lastBill: null,
    billCount: 0,
  };
  return applyBill(agreed, bill);
}

function changed(
  subscription: Subscription,
  event: Exclude<SubscriptionEvent, { type: 'SubscriptionCreated' }>,
): Subscription {
  switch (event.type) {
    case 'SubscriptionStarted': {
      const { phase, period, bill } = event.data;
      return applyBill({ ...subscription, phase, period }, bill);
    }
    case 'SubscriptionTrialEnded': {
      const { period, bill } = event.data;
      return applyBill({ ...subscription, phase: 'active', period }, bill);
    }
    case 'SubscriptionRenewed': {
      const { period, bill, items = subscription.items } = event.data;
      return applyBill({ ...subscription, period, items }, bill);
    }
    case 'SubscriptionLicensesCounted': {
      const { licenses, items, bill, endedVoidFees = [] } = event.data;
      const prepaid = prepaidFeesWithoutEnded(subscription.prepaid, endedVoidFees);
      return applyBill({ ...subscription, licenses, items, prepaid }, bill);
    }
    case 'SubscriptionUsageBilled':
      return applyBill(subscription, event.data.bill);
    case 'SubscriptionPauseScheduled': {
      const { pauseAt, resumeAt, atPeriodEnd = false } = event.data;
      return { ...subscription, plannedPause: { pauseAt, resumeAt, atPeriodEnd } };
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
        prepaid: prepaidFeesWithoutVoid(subscription.prepaid),
      };
      return applyBill({ ...paused, items: pausedItems(paused) }, bill);
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
        prepaid: prepaidFeesWithoutVoid(subscription.prepaid),
      };
      return applyBill(resumed, bill);
    }
    case 'SubscriptionAmendmentScheduled': {
      const { at, effectiveAt, amendmentId, kind, change, prorate, atPeriodEnd = false } = event.data;
      const scheduled: Amendment = {
        amendmentId,
        kind,
        change,
        prorate,
        effectiveAt,
        atPeriodEnd,
        replacedBy: null,
        status: 'scheduled',
        requestedAt: at,
        invoiceId: null,
        failure: null,
      };
      return { ...subscription, amendments: [...subscription.amendments, scheduled] };
    }
    case 'SubscriptionAmendmentCanceled': {
      const { amendmentId, replacedBy = null } = event.data;
      return withAmendment(subscription, amendmentId, { status: 'canceled', replacedBy });
    }
    case 'SubscriptionAmendmentSkipped':
      return withAmendment(subscription, event.data.amendmentId, { status: 'skipped' });
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
    case 'SubscriptionInvoiceVoided':
      return { ...subscription, prepaid: prepaidFeesAfterVoid(subscription.prepaid, event.data.invoiceId) };
    case 'SubscriptionCancellationScheduled': {
      const { cancelAt, atPeriodEnd = false, options = DEFAULT_CANCEL_OPTIONS } = event.data;
      return { ...subscription, cancelAt, cancelAtPeriodEnd: atPeriodEnd, cancelOptions: options };
    }
    case 'SubscriptionCancellationWithdrawn':
      return { ...subscription, cancelAt: null, cancelAtPeriodEnd: false, cancelOptions: null };
    case 'SubscriptionDetailsChanged': {
      const { metadata, externalId, ownBillingThresholds } = event.data;
      return {
        ...subscription,
        metadata: metadata ?? subscription.metadata,
        externalId: externalId === undefined ? subscription.externalId : (externalId ?? undefined),
        ownBillingThresholds:
          ownBillingThresholds === undefined ? subscription.ownBillingThresholds : ownBillingThresholds,
      };
    }
    case 'SubscriptionCanceled': {
      const { at, reason, bill, run, options = DEFAULT_CANCEL_OPTIONS } = event.data;
      const canceled = {
        ...subscription,
        phase: 'canceled' as const,
        plannedPause: null,
        resumeAt: null,
        cancelAt: at,
        // Only a scheduled end has a billing run. A request that ends the subscription at once overrides a scheduled end.
        cancelAtPeriodEnd: subscription.cancelAtPeriodEnd && run !== null,
        cancelOptions: options,
        canceledAt: at,
        cancelReason: reason,
        amendments: subscription.amendments.map((amendment) =>
          amendment.status === 'scheduled' ? { ...amendment, status: 'canceled' as const } : amendment,
        ),
      };
      return applyBill(canceled, bill);
    }
  }
}

/** The status fields of a change that was applied when it was requested. */
const IMMEDIATE_AMENDMENT = { atPeriodEnd: false, replacedBy: null, failure: null } as const;

function amended(subscription: Subscription, data: DataOf<'SubscriptionAmended'>): Subscription {
  const { planId, planVersion, planName, planNameTranslations } = data;
  const { anchor, billingInterval, items, period, bill } = data;
  const { amendmentId, kind, change, prorate, migrationId, at } = data;
  const { minimumCommitment, billingThresholds, endedVoidFees = [], replacements = [] } = data;
  const applied = {
    status: 'applied',
    effectiveAt: at,
    invoiceId: bill?.invoiceId ?? null,
    replacements,
  } as const;
  const isKnown = subscription.amendments.some((one) => one.amendmentId === amendmentId);
  const known = isKnown
    ? withAmendment(subscription, amendmentId, applied)
    : {
        ...subscription,
        amendments: [
          ...subscription.amendments,
          {
            amendmentId,
            kind,
            change,
            prorate,
            requestedAt: at,
            ...(migrationId === undefined ? {} : { migrationId }),
            ...IMMEDIATE_AMENDMENT,
            ...applied,
          },
        ],
      };
  const named = {
    planId,
    planVersion,
    planName,
    planNameTranslations,
    minimumCommitment,
    billingThresholds,
  };
  const prepaid = prepaidFeesWithoutEnded(subscription.prepaid, endedVoidFees);
  const planChange = planId === subscription.planId ? {} : { planChange: { amendmentId, at } };
  const ownPrices = ownPricesAfter(subscription, change);
  const terms = { ...named, anchor, billingInterval, items, period, prepaid, ownPrices, ...planChange };
  return applyBill({ ...known, ...terms }, bill);
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
