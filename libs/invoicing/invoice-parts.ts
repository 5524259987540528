import type { InvoiceDetails } from './events.js';

/** The subscriptions that an invoice bills; none for one that was made by hand. */
export function subscriptionsOf({
  subscriptionId,
  parts,
}: Pick<InvoiceDetails, 'subscriptionId' | 'parts'>): string[] {
  if (parts) return parts.map((part) => part.subscriptionId);
  return subscriptionId === null ? [] : [subscriptionId];
}

/**
 * An invoice as one of its subscriptions sees it: with its lines alone, and what is noted of them, as if it were an invoice of that
 * one. What is of the whole (number, total, taxes, payments, credit notes) stays. Undefined if it does not bill the subscription.
 */
export function partOf<Whole extends InvoiceDetails>(
  invoice: Whole,
  subscriptionId: string,
): Whole | undefined {
  if (!invoice.parts) return invoice.subscriptionId === subscriptionId ? invoice : undefined;
  const part = invoice.parts.find((one) => one.subscriptionId === subscriptionId);
  if (!part) return undefined;
  const { parts: _, ...whole } = invoice;
  const { planName: __, ...notes } = part;
  const lines = invoice.lines.filter((line) => line.subscriptionId === subscriptionId);
  return { ...whole, ...notes, lines } as Whole;
}

/** The invoice as each of its subscriptions sees it; one that was made by hand as it is. */
export function partsOf<Whole extends InvoiceDetails>(invoice: Whole): Whole[] {
  if (!invoice.parts) return [invoice];
  return invoice.parts.map(({ subscriptionId }) => partOf(invoice, subscriptionId)!);
}
