import { moneyString, sumOf } from '#libs/kernel/core';
import type { Recorded } from '#libs/kernel/domain';
import {
  toCreditableInvoice,
  invoiceDecider,
  type Invoice,
  type InvoiceEvent,
} from '#libs/contexts/invoicing';
import { computeCreditNoteAmounts } from '#libs/rating';
import { fieldDifferences, valueText, type LedgerDifference } from './difference.js';
import type { InvoiceStream } from './invoice-stream.js';

/**
 * Computes the credit notes of an invoice again. Returns the credit notes whose amounts differ, or whose parts do not add up to their
 * total.
 */
export function creditNoteProblems({ events }: InvoiceStream): Omit<LedgerDifference, 'subject'>[] {
  let before: Invoice | undefined;
  return (events as readonly Recorded<InvoiceEvent>[]).flatMap(({ type, data, position }) => {
    const invoice = before;
    const event = { type, data } as InvoiceEvent;
    try {
      before = invoiceDecider.evolve(invoice, event);
    } catch {
      // `referenceProblems` reports events that do not fit together.
      return [];
    }
    if (event.type !== 'CreditNoteIssued' || !invoice) return [];
    return problemsOf(invoice, event.data.note).map((problem) => ({
      position,
      problem: `credit note ${event.data.note.creditNoteId}: ${problem}`,
    }));
  });
}

type Note = Extract<InvoiceEvent, { type: 'CreditNoteIssued' }>['data']['note'];

function problemsOf(invoice: Invoice, note: Note): string[] {
  const { lines, discount, taxes, total, allocations, unpaid, toBalance, refunded } = note;
  try {
    const request = lines.length > 0 ? { lines } : { amount: total };
    const goes = moneyString(sumOf([unpaid, toBalance, refunded]), invoice.currency);
    // A note without allocations was issued by an older rule, so only its sums can be checked.
    const issued = { lines, discount, taxes, total, allocations };
    const must = allocations ? computeCreditNoteAmounts(toCreditableInvoice(invoice), request) : issued;
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
