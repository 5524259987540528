import { moneyString, sumOf } from '#libs/core';
import type { CreditableInvoice } from '#libs/rating';
import type { Invoice } from '../invoice.js';
import { allocationsOf, linesLeft } from '../lines-left.js';

/** What of an invoice can be credited, for {@link noteAmounts}; of the whole, not of what one of its subscriptions sees. */
export function creditableInvoice(invoice: Invoice): CreditableInvoice {
  const { currency, lines, taxes = [], total, creditNotes } = invoice;
  const left = new Map(linesLeft(invoice).map((line) => [line.lineId, line.left]));
  const money = (amounts: Iterable<string>) => moneyString(sumOf(amounts), currency);
  return {
    currency,
    lines: lines.map(({ id, amount, discount = money([]) }) => ({
      ...{ id, amount, discount, left: left.get(id)! },
      credited: money(
        creditNotes.flatMap((note) => note.lines.filter((line) => line.id === id).map((line) => line.amount)),
      ),
    })),
    taxes,
    total,
    back: {
      net: money(creditNotes.flatMap((note) => allocationsOf(note, invoice).map(({ amount }) => amount))),
      taxes: creditNotes.flatMap((note) => note.taxes),
    },
  };
}
