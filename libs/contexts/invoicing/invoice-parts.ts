import { omit } from '#libs/kernel/core';
import type { InvoiceLine } from '#libs/rating';
import type { InvoiceDetails } from './events.js';

/**
 * The lines of the whole invoice. The part of an invoice for one subscription also keeps the lines of the whole invoice, in `wholeLines`.
 */
interface WholeInvoiceLines {
  readonly wholeLines: readonly InvoiceLine[];
}

/** The ids of the subscriptions that an invoice bills; empty for a manual invoice. */
export function subscriptionIdsOf({
  subscriptionId,
  parts,
}: Pick<InvoiceDetails, 'subscriptionId' | 'parts'>): string[] {
  if (parts) return parts.map((part) => part.subscriptionId);
  return subscriptionId === null ? [] : [subscriptionId];
}

/**
 * The part of an invoice that belongs to one subscription. The `lines` and the usage readings of the part are only those of its
 * subscription. The number, total, taxes, payments and credit notes of the part are the same as on the whole invoice. Returns undefined if
 * the invoice does not bill the subscription.
 */
export function subscriptionPartOf<Whole extends InvoiceDetails>(
  invoice: Whole,
  subscriptionId: string,
): Whole | undefined {
  if (!invoice.parts) return invoice.subscriptionId === subscriptionId ? invoice : undefined;
  const part = invoice.parts.find((one) => one.subscriptionId === subscriptionId);
  if (!part) return undefined;
  const whole = omit(invoice, ['parts']);
  const notes = omit(part, ['planName', 'planNameTranslations']);
  const lines = invoice.lines.filter((line) => line.subscriptionId === subscriptionId);
  const ofAll: WholeInvoiceLines = { wholeLines: invoice.lines };
  return { ...whole, ...notes, lines, ...ofAll } as unknown as Whole;
}

/**
 * All lines of the invoice, even if `invoice` is the part of one subscription. The total of the invoice is computed from the lines of the
 * whole invoice.
 */
export function linesOfWholeInvoice(
  invoice: Pick<InvoiceDetails, 'lines'> & Partial<WholeInvoiceLines>,
): readonly InvoiceLine[] {
  return invoice.wholeLines ?? invoice.lines;
}

/** The parts of an invoice, one for each subscription. An invoice of only one subscription, or of none, is itself the only part. */
export function subscriptionPartsOf<Whole extends InvoiceDetails>(invoice: Whole): Whole[] {
  if (!invoice.parts) return [invoice];
  return invoice.parts.map(({ subscriptionId }) => subscriptionPartOf(invoice, subscriptionId)!);
}
