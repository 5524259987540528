import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { creditableInvoiceAmount } from '#libs/rating';
import {
  notVoidedCreditNotes,
  refundLeftOf,
  totalReductionByCreditNotes,
} from './credit-notes/credit-note.js';
import { toCreditableInvoice } from './credit-notes/creditable-invoice.js';
import { coveredInTotal, moneyReturnedAtGateway, takenBackInTotal } from './gateway-returns.js';
import {
  paymentRefundLeft,
  totalReductionByGiveBacks,
  type CoveredRefund,
  type ExcessOfReturn,
} from './give-backs/give-back.js';
import type { Invoice } from './invoice.js';

/**
 * Decides which part of an amount that went back at the payment processor was given back before: by credit notes, by later invoices, or at
 * the processor itself. This part takes the place of refunds of ours that were refused, or that the processor must refuse because the
 * charge has too little left. `invoice` is the invoice without this amount. A dispute that the bank has not decided counts as not given
 * back.
 */
export function excessOfReturn(invoice: Invoice, attemptId: string, amount: DecimalString): ExcessOfReturn {
  const { disputes = [], currency } = invoice;
  const decided = { ...invoice, disputes: disputes.filter(({ closedAt }) => closedAt !== null) };
  const left = Decimal.min(creditableInvoiceAmount(toCreditableInvoice(decided)), moneyLeft(decided));
  const excess = new Decimal(amount).minus(Decimal.min(Decimal.max(left, 0), amount));
  if (excess.isZero()) return {};
  const covers = coveredRefunds(decided, attemptId, new Decimal(amount), excess);
  return {
    excess: moneyString(excess, currency),
    ...(covers.length > 0
      ? { covers: covers.map((one) => ({ ...one, amount: moneyString(one.amount, currency) })) }
      : {}),
  };
}

/** The money that was paid for the invoice and that nothing has given back. Below zero if more was given back than was paid. */
function moneyLeft(invoice: Invoice): Decimal {
  const { total, creditNotes, reductions } = invoice;
  const given = notVoidedCreditNotes(creditNotes).flatMap(({ refunded, toBalance }) => [refunded, toBalance]);
  return new Decimal(total)
    .minus(totalReductionByCreditNotes(creditNotes))
    .minus(totalReductionByGiveBacks(reductions))
    .minus(sumOf(given))
    .minus(moneyReturnedAtGateway(invoice))
    .plus(coveredInTotal(invoice))
    .plus(takenBackInTotal(invoice));
}

type UnroundedCover = CoveredRefund extends infer One
  ? One extends CoveredRefund
    ? Omit<One, 'amount'> & { amount: Decimal }
    : never
  : never;

/**
 * The refunds of ours that `excess` takes the place of. First are refunds of credit notes that the processor refused or that failed, since
 * their amounts are still owed. Next are refunds that are not made yet, as far as they and what went back exceed the charge.
 */
function coveredRefunds(
  invoice: Invoice,
  attemptId: string,
  amount: Decimal,
  excess: Decimal,
): UnroundedCover[] {
  const notes = notVoidedCreditNotes(invoice.creditNotes);
  const covers: UnroundedCover[] = [];
  let rest = excess;
  const cover = (one: { creditNoteId: string } | { byInvoiceId: string }, most: Decimal) => {
    const covered = Decimal.min(rest, most);
    if (covered.lte(0)) return;
    covers.push({ ...one, amount: covered });
    rest = rest.minus(covered);
  };
  for (const note of notes)
    if ((note.refundStatus === 'refused' || note.refundStatus === 'failed') && !note.refundPartlyMade)
      cover(note, refundLeftOf(note));
  rest = Decimal.min(rest, beyondCharge(invoice, attemptId, amount));
  for (const note of notes) if (note.refundStatus === 'pending') cover(note, refundLeftOf(note));
  for (const refund of invoice.refunds)
    if (refund.status === 'pending') cover(refund, paymentRefundLeft(refund));
  return covers.map((one) =>
    'creditNoteId' in one
      ? { creditNoteId: one.creditNoteId, amount: one.amount }
      : { byInvoiceId: one.byInvoiceId, amount: one.amount },
  );
}

/** By how much our refunds and what went back at the processor exceed the charge that our refunds are made of. Zero if they do not. */
function beyondCharge(invoice: Invoice, attemptId: string, amount: Decimal): Decimal {
  const charge = invoice.attempts.find(({ status }) => status === 'succeeded');
  if (charge?.attemptId !== attemptId) return new Decimal(0);
  const { creditNotes, refunds } = invoice;
  const isMade = (status: string) => status === 'pending' || status === 'succeeded';
  const ours = [
    ...notVoidedCreditNotes(creditNotes)
      .filter(({ refundStatus }) => isMade(refundStatus))
      .map(refundLeftOf),
    ...refunds.filter(({ status }) => isMade(status)).map(paymentRefundLeft),
  ];
  const back = moneyReturnedAtGateway(invoice).plus(amount);
  return Decimal.max(sumOf(ours).plus(back).minus(charge.amount), 0);
}
