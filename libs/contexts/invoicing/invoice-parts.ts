import type { InvoiceLine } from '#libs/rating';
import type { InvoiceDetails } from './events.js';

/** On what a subscription sees of an invoice: the lines of all. */
interface Part {
  readonly wholeLines: readonly InvoiceLine[];
}

/** The subscriptions that an invoice bills; none for one that was made by hand. */
export function subscriptionsOf({
  subscriptionId,
  parts,
}: Pick<InvoiceDetails, 'subscriptionId' | 'parts'>): string[] {
  if (parts) return parts.map((part) => part.subscriptionId);
  return subscriptionId === null ? [] : [subscriptionId];
}

/**
 * An invoice as one of its subscriptions sees it: with that subscription's lines and readings alone. What is of the whole (number, total,
 * taxes, payments, credit notes) stays. Undefined if it does not bill the subscription.
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
  const ofAll: Part = { wholeLines: invoice.lines };
  return { ...whole, ...notes, lines, ...ofAll } as unknown as Whole;
}

/** All lines of the invoice, also where it is seen by one of its subscriptions: what its total is of. */
export function linesOfWhole(invoice: Pick<InvoiceDetails, 'lines'> & Partial<Part>): readonly InvoiceLine[] {
  return invoice.wholeLines ?? invoice.lines;
}

/** The invoice as each of its subscriptions sees it; one that was made by hand as it is. */
export function partsOf<Whole extends InvoiceDetails>(invoice: Whole): Whole[] {
  if (!invoice.parts) return [invoice];
  return invoice.parts.map(({ subscriptionId }) => partOf(invoice, subscriptionId)!);
}
