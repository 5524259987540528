import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type Instant } from '#libs/kernel/core';
import type { InvoiceEvent, Opening, RecomputedAmounts } from '../events.js';
import { amountToPay, balanceUsed, dueAfter, isNothing, type Invoice } from '../invoice.js';
import type { Of } from './command.js';
import { referenceOf } from './require.js';

/** An invoice is made once: its id says what for, so a second one is the same one. */
export function createInvoice(
  { at, details }: Of<'CreateInvoice'>,
  invoice: Invoice | undefined,
): InvoiceEvent[] {
  return invoice ? [] : [{ type: 'InvoiceCreated', data: { at, ...details } }];
}

/** Nothing for what is no draft any more, and for what comes to the same: the readings that it has say so as well. */
export function recomputeDraft({ at, amounts }: Of<'RecomputeDraft'>, invoice: Invoice): InvoiceEvent[] {
  if (invoice.status !== 'draft' || isDeepStrictEqual(chargedBy(amounts), chargedBy(invoice))) return [];
  return [{ type: 'DraftRecomputed', data: { at, ...referenceOf(invoice), ...amounts } }];
}

/** What is charged, without how far the usage log had been read. */
function chargedBy({ lines, discounts, taxes, total, excess }: RecomputedAmounts) {
  const charged = lines.map(({ usageWatermark: _, ...line }) => line);
  return { lines: charged, discounts, taxes, total, excess };
}

export function openInvoice({ at, opening }: Of<'OpenInvoice'>, invoice: Invoice): InvoiceEvent[] {
  if (invoice.status !== 'draft')
    throw new InvalidRequest(
      'invoice_not_draft',
      `The invoice is ${invoice.status}; only a draft can be approved`,
    );
  return opened(at, required(opening), invoice);
}

/** What leaves nothing to pay, with the customer's balance or by itself, is paid as it is opened, without a charge. */
export function opened(at: Instant, opening: Opening, invoice: Invoice): InvoiceEvent[] {
  const reference = referenceOf(invoice);
  const { number, sellerName } = opening;
  const dueDate = dueAfter(at, invoice.settings.netDays);
  const data = {
    ...{ at, ...reference, kind: invoice.kind, number, sellerName, dueDate },
    ...(opening.balance === undefined ? {} : { balanceApplied: balanceUsed(invoice, opening) }),
    ...(invoice.excess === undefined ? {} : { balanceCredited: invoice.excess }),
  };
  const events: InvoiceEvent[] = [{ type: 'InvoiceOpened', data }];
  if (isNothing(amountToPay(invoice, opening)))
    events.push({ type: 'InvoicePaid', data: { at, ...reference, attemptId: null } });
  return events;
}

/** The opening that the command's handler must have brought for a draft. */
export function required(opening: Opening | null): Opening {
  if (opening === null) throw new Error('The command lacks what the draft is opened with');
  return opening;
}
