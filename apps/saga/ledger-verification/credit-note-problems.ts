import { moneyString, sumOf } from '#libs/kernel/core';
import type { Recorded } from '#libs/kernel/domain';
import {
  toCreditableInvoice,
  invoiceDecider,
  type Invoice,
  type InvoiceEvent,
} from '#libs/contexts/invoicing';
import { computeCreditNoteAmounts } from '#libs/rating';
import type { LedgerDifference } from '#libs/outputs/books';
import { fieldDifferences, valueText } from './difference.js';
import type { InvoiceStream } from './invoice-stream.js';

/**
 * Computes the credit notes of an invoice again. Returns the credit notes whose amounts differ, or whose parts do not add up to their
 * total.
 */
export function creditNoteProblems({ events }: InvoiceStream): Omit<LedgerDifference, 'subject'>[] {
  let before: Invoice | undefined;
  // Events of earlier versions do not divide what went back at the processor over the lines, and their credit notes did not count it.
  let isOfOlderRule = false;
  return (events as readonly Recorded<InvoiceEvent>[]).flatMap(({ type, data, position }) => {
    const invoice = before;
    const event = { type, data } as InvoiceEvent;
    try {
      before = invoiceDecider.evolve(invoice, event);
    } catch {
      // `referenceProblems` reports events that do not fit together.
      return [];
    }
    if (event.type === 'GatewayRefundFound' || event.type === 'PaymentDisputed')
      isOfOlderRule ||= event.data.returned === undefined;
    if (event.type !== 'CreditNoteIssued' || !invoice) return [];
    return problemsOf(invoice, event.data.note, isOfOlderRule).map((problem) => ({
      position,
      problem: `credit note ${event.data.note.creditNoteId}: ${problem}`,
    }));
  });
}

type Note = Extract<InvoiceEvent, { type: 'CreditNoteIssued' }>['data']['note'];

function problemsOf(invoice: Invoice, note: Note, isOfOlderRule: boolean): string[] {
  const { lines, discount, taxes, total, allocations, unpaid, toBalance, refunded } = note;
  try {
    const request = lines.length > 0 ? { lines } : { amount: total };
    const goes = moneyString(sumOf([unpaid, toBalance, refunded]), invoice.currency);
    // Only the sums of a note of an older rule can be checked. A note without allocations is of an older rule too.
    const issued = { lines, discount, taxes, total, allocations };
    const must =
      allocations && !isOfOlderRule
        ? computeCreditNoteAmounts(toCreditableInvoice(invoice), request)
        : issued;
    return [
      ...fieldDifferences(must, issued).map(
        ({ path, expected, found }) =>
          `${path} ${valueText(found)} was issued, but ${valueText(expected)} was computed`,
      ),
      ...(goes === total ? [] : [`its total is ${total}, but its parts add up to ${goes}`]),
    ];
  } catch (error) {
    return [`it cannot be computed again: ${(error as Error).message}`];
  }
}
