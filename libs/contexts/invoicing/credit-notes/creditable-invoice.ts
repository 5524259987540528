import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import {
  computeCreditNoteAmounts,
  creditableInvoiceAmount,
  taxesGivenBack,
  type CreditableInvoice,
  type LineNetAmount,
  type TaxAmount,
} from '#libs/rating';
import type { Invoice } from '../invoice.js';
import { allocationsOf, creditableLines } from '../creditable-lines.js';
import { amountsReturnedAtGateway } from '../gateway-returns.js';
import type { ReturnedAmounts } from '../give-backs/give-back.js';
import { notVoidedCreditNotes } from './credit-note.js';

/**
 * Returns the creditable amounts of an invoice in the form that {@link computeCreditNoteAmounts} needs. `invoice` must be the whole
 * invoice, not the part of one subscription.
 */
export function toCreditableInvoice(invoice: Invoice): CreditableInvoice {
  const { currency, lines, taxes = [], total } = invoice;
  const givenBack = [...invoice.givenBack, ...amountsReturnedAtGateway(invoice)];
  const creditNotes = notVoidedCreditNotes(invoice.creditNotes);
  const lefts = new Map(creditableLines(invoice).map((line) => [line.lineId, line]));
  const money = (amounts: Iterable<string>) => moneyString(sumOf(amounts), currency);
  return {
    currency,
    lines: lines.map(({ id, amount, discount = money([]), taxRateIds }) => ({
      id,
      amount,
      discount,
      net: lefts.get(id)!.net,
      left: lefts.get(id)!.left,
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

/**
 * Divides an amount with taxes that went back at the payment processor over what is left of an invoice's lines, as a credit note over one
 * amount is divided. The part of the amount above everything that is left belongs to no line.
 */
export function divideReturnedAmount(invoice: Invoice, amount: DecimalString): ReturnedAmounts {
  const creditable = toCreditableInvoice(invoice);
  const back = Decimal.min(amount, creditableInvoiceAmount(creditable));
  if (back.lte(0)) return { lines: [] };
  const amounts = computeCreditNoteAmounts(creditable, { amount: moneyString(back, invoice.currency) });
  const taxes = amounts.taxes
    .map(({ taxRateId, amount: tax }) => ({ taxRateId, amount: tax }))
    .filter((tax) => !new Decimal(tax.amount).isZero());
  return { lines: amounts.allocations, ...(taxes.length > 0 ? { taxes } : {}) };
}
