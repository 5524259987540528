import { moneyString, sumOf } from '#libs/kernel/core';
import { taxesGivenBack, type CreditableInvoice, type LineNetAmount, type TaxAmount } from '#libs/rating';
import type { Invoice } from '../invoice.js';
import { allocationsOf, creditableLines } from '../creditable-lines.js';
import { notVoidedCreditNotes } from './credit-note.js';

/**
 * Returns the creditable amounts of an invoice in the form that {@link computeCreditNoteAmounts} needs. `invoice` must be the whole
 * invoice, not the part of one subscription.
 */
export function toCreditableInvoice(invoice: Invoice): CreditableInvoice {
  const { currency, lines, taxes = [], total, givenBack } = invoice;
  const creditNotes = notVoidedCreditNotes(invoice.creditNotes);
  const lefts = new Map(creditableLines(invoice).map((line) => [line.lineId, line]));
  const money = (amounts: Iterable<string>) => moneyString(sumOf(amounts), currency);
  return {
    currency,
    lines: lines.map(({ id, amount, discount = money([]), taxRateIds }) => ({
      ...{ id, amount, discount, net: lefts.get(id)!.net, left: lefts.get(id)!.left },
      ...(taxRateIds ? { taxRateIds } : {}),
      credited: money(
        creditNotes.flatMap((note) => note.lines.filter((line) => line.id === id).map((line) => line.amount)),
      ),
    })),
    taxes,
    total,
    givenBack: {
      net: money(
        [
          ...creditNotes.flatMap((note) => allocationsOf(note, invoice)),
          ...givenBack.flatMap((one) => one.lines),
        ].map(({ amount }) => amount),
      ),
      taxes: [...creditNotes, ...givenBack].flatMap(({ taxes: back = [] }) => back),
    },
  };
}

/**
 * The taxes that a later invoice gives back with `parts` of an invoice's lines. The result is the tax on all amounts that are given back,
 * including `parts`, less the tax that was given back before. With this computation, later invoices and credit notes together never give
 * back more tax than was charged.
 */
export function taxesToGiveBack(invoice: Invoice, parts: readonly LineNetAmount[]): TaxAmount[] {
  return taxesGivenBack(toCreditableInvoice(invoice), parts).map(({ taxRateId, amount }) => ({
    taxRateId,
    amount,
  }));
}
