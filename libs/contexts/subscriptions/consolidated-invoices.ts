import { nextDueChange, type DueChangeKind } from './next-due.js';
import type { Bill, BillKind, SubscribedTerms, SubscriptionEvent, BilledPlan } from './events.js';
import type { Subscription } from './subscription.js';

/**
 * The due changes at which several subscriptions of a customer can be billed on one invoice. The value of each entry is the kind of bill
 * that the due change makes.
 */
const CONSOLIDATED: Partial<Record<DueChangeKind, BillKind>> = { boundary: 'cycle', cancellation: 'final' };

/** A consolidated invoice, and the kind of the bills on it. */
export interface ConsolidatedInvoice {
  readonly invoiceId: string;
  readonly kind: BillKind;
}

/**
 * Returns the kind of bill that the subscription's next due change can produce. Null if that kind of bill cannot be on a consolidated
 * invoice.
 */
export function consolidatedBillKind(subscription: Subscription): BillKind | null {
  const next = nextDueChange(subscription);
  // A refund for one subscription is not mixed with what another subscription adds to the balance.
  if (next?.kind === 'cancellation' && subscription.cancelOptions?.credit === 'refund') return null;
  return (next && CONSOLIDATED[next.kind]) ?? null;
}

function billedPlanOf({
  planId,
  planName,
  planNameTranslations,
}: Pick<SubscribedTerms, 'planId' | 'planName' | 'planNameTranslations'>): BilledPlan {
  return { planId, planName, ...(planNameTranslations === undefined ? {} : { planNameTranslations }) };
}

/** Returns the bill with the id of the consolidated invoice of the customer's subscriptions. */
export function moveToConsolidatedInvoice(
  bill: Bill,
  plan: Pick<SubscribedTerms, 'planId' | 'planName' | 'planNameTranslations'>,
  invoiceId: string,
): Bill {
  return { ...bill, invoiceId, consolidated: billedPlanOf(plan) };
}

/**
 * Returns the event with its bill on the consolidated invoice, if the bill is of the invoice's kind. A bill of another kind keeps its
 * separate invoice. `after` is the subscription after the event.
 */
export function eventOnConsolidatedInvoice(
  event: SubscriptionEvent,
  after: Subscription,
  { invoiceId, kind }: ConsolidatedInvoice,
): SubscriptionEvent {
  const { data } = event;
  const bill = 'bill' in data ? data.bill : null;
  if (bill?.kind !== kind) return event;
  const consolidated = moveToConsolidatedInvoice(bill, after, invoiceId);
  return { ...event, data: { ...data, bill: consolidated } } as SubscriptionEvent;
}
