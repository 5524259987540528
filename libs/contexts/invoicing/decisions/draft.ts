import { isDeepStrictEqual } from 'node:util';
import { StateConflict, type Instant } from '#libs/kernel/core';
import type { InvoiceEvent, InvoiceOpening, RecomputedAmounts } from '../events.js';
import { amountToPay, balanceToApply, dueDateAfter, isZeroAmount, type Invoice } from '../invoice.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf } from './payment-guards.js';

/** Creates an invoice once. The id of an invoice is derived from its bill, so a second command for the same bill changes nothing. */
export function createInvoice(
  { at, details }: InvoiceCommandOf<'CreateInvoice'>,
  invoice: Invoice | undefined,
): InvoiceEvent[] {
  return invoice ? [] : [{ type: 'InvoiceCreated', data: { at, ...details } }];
}

/**
 * Returns no event if the invoice is not a draft any more, or if the amounts are unchanged. If the amounts are unchanged, the draft keeps
 * the `usageWatermark` of each line: the usage up to this older position of the usage log has the same amounts.
 */
export function recomputeDraft(
  { at, amounts }: InvoiceCommandOf<'RecomputeDraft'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (invoice.status !== 'draft' || isDeepStrictEqual(chargedAmounts(amounts), chargedAmounts(invoice)))
    return [];
  return [{ type: 'DraftRecomputed', data: { at, ...invoiceReferenceOf(invoice), ...amounts } }];
}

/** Returns the charged amounts for a comparison, without the positions in the usage log up to which usage was counted. */
function chargedAmounts({ lines, discounts, taxes, total, excess }: RecomputedAmounts) {
  const charged = lines.map(({ usageWatermark: _, ...line }) => line);
  return { lines: charged, discounts, taxes, total, excess };
}

export function openInvoice(
  { at, opening }: InvoiceCommandOf<'OpenInvoice'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (invoice.status !== 'draft')
    throw new StateConflict(
      'invoice_not_draft',
      `The invoice is ${invoice.status}; only a draft can be approved`,
    );
  return openingEvents(at, requireOpening(opening), invoice);
}

/** The events that open a draft. If nothing is left to pay, the invoice becomes paid at once, without a charge. */
export function openingEvents(at: Instant, opening: InvoiceOpening, invoice: Invoice): InvoiceEvent[] {
  const reference = invoiceReferenceOf(invoice);
  const { number, sellerName } = opening;
  const dueDate = dueDateAfter(at, invoice.settings.netDays);
  const data = {
    at,
    ...reference,
    kind: invoice.kind,
    number,
    sellerName,
    dueDate,
    ...(opening.balance === undefined ? {} : { balanceApplied: balanceToApply(invoice, opening) }),
    ...(invoice.excess === undefined ? {} : { balanceCredited: invoice.excess }),
  };
  const events: InvoiceEvent[] = [{ type: 'InvoiceOpened', data }];
  if (isZeroAmount(amountToPay(invoice, opening)))
    events.push({ type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
  return events;
}

/** Returns the data that opens a draft, such as its number. Throws an Error if the command has no `opening`. */
export function requireOpening(opening: InvoiceOpening | null): InvoiceOpening {
  if (opening === null) throw new Error('The command has no opening for the draft');
  return opening;
}
