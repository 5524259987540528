import { nextDue, type DueKind } from './next-due.js';
import type { Bill, BillKind, SubscribedTerms, SubscriptionEvent } from './events.js';
import type { Subscription } from './subscription.js';

/** When several subscriptions of a customer can be billed on one invoice: at the end of a period, and of the subscription with it. */
const CONSOLIDATED: Partial<Record<DueKind, BillKind>> = { boundary: 'cycle', cancellation: 'final' };

/** An invoice that bills of several subscriptions are on, and of which kind they are. */
export interface ConsolidatedOn {
  readonly invoiceId: string;
  readonly kind: BillKind;
}

/** The kind of the bill that a subscription's next due instant may lead to and that can be consolidated; null if there is none. */
export function consolidatedKind(subscription: Subscription): BillKind | null {
  const next = nextDue(subscription);
  // What is refunded of one subscription is not mixed with what another has on the balance.
  if (next?.kind === 'cancellation' && subscription.cancelOptions?.credit === 'refund') return null;
  return (next && CONSOLIDATED[next.kind]) ?? null;
}

/** The bill on the invoice that it shares with those of the customer's other subscriptions. */
export function onConsolidatedInvoice(
  bill: Bill,
  { planId, planName }: Pick<SubscribedTerms, 'planId' | 'planName'>,
  invoiceId: string,
): Bill {
  return { ...bill, invoiceId, consolidated: { planId, planName } };
}

/**
 * The event with its bill on that invoice, if it has one of that kind: what ends otherwise than by itself is billed alone. `after`: the
 * subscription with the event.
 */
export function consolidate(
  event: SubscriptionEvent,
  after: Subscription,
  { invoiceId, kind }: ConsolidatedOn,
): SubscriptionEvent {
  const { data } = event;
  const bill = 'bill' in data ? data.bill : null;
  if (bill?.kind !== kind) return event;
  const consolidated = onConsolidatedInvoice(bill, after, invoiceId);
  return { ...event, data: { ...data, bill: consolidated } } as SubscriptionEvent;
}
