import {
  Decimal,
  InvalidRequest,
  NotFound,
  moneyString,
  requireWholeMinorUnits,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import {
  creditableLineAmount,
  creditNoteLimit,
  creditableInvoiceAmount,
  computeCreditNoteAmounts,
  splitRefund,
  type CreditableInvoice,
  type RequestedCreditAmounts,
} from '#libs/rating';
import { grossGiveBackAmount, totalReductionByGiveBacks } from '../give-backs/give-back.js';
import { amountPaid, type Invoice } from '../invoice.js';
import { amountPaidByBalancePayments } from '../recorded-payments/recorded-payment.js';
import {
  totalReductionByCreditNotes,
  notVoidedCreditNotes,
  type CreditNoteDetails,
  type CreditNoteReason,
  type CreditNoteTarget,
} from '../credit-notes/credit-note.js';
import { toCreditableInvoice } from '../credit-notes/creditable-invoice.js';
import {
  coveredInTotal,
  disputedMoney,
  moneyReturnedAtGateway,
  takenBackInTotal,
} from '../gateway-returns.js';

/** The request for a credit note. */
export interface CreditNoteRequest {
  creditNoteId: string;
  at: Instant;
  reason: CreditNoteReason;
  /** A user's note about the credit note; null if there is none. Personal data. */
  memo: string | null;
  /**
   * The amounts of single lines, or one amount including taxes. If `credit` is null, the note credits the whole remaining amount of the
   * invoice.
   */
  credit: RequestedCreditAmounts | null;
  /**
   * If null, the target is `unpaid` for an unpaid invoice. For a paid invoice, it is `refund` if an amount that was paid by card can still
   * be refunded, and otherwise `balance`.
   */
  target: CreditNoteTarget | null;
  /**
   * True if the note returns the price of voided credits. The invoice of a credit purchase accepts only credit notes for voided credits.
   */
  ofVoidedCredits?: true;
}

/**
 * Decides the amounts and the target of a credit note. Throws InvalidRequest (`not_creditable`) if the invoice cannot be credited. Throws
 * InvalidRequest (`credit_exceeds_invoice`, `credit_exceeds_line`) if the amount exceeds the remaining amount of the invoice or of a line.
 */
export function decideCreditNote(request: CreditNoteRequest, invoice: Invoice): CreditNoteDetails {
  const { creditNoteId, at, reason, memo } = request;
  const target = resolveTarget(request.target, invoice);
  const creditable = toCreditableInvoice(invoice);
  const most = Decimal.min(maximumCredit(target, invoice), creditableInvoiceAmount(creditable));
  const asked = request.credit ?? { amount: moneyString(most, invoice.currency) };
  requireValidCredit(asked, creditable);
  const amounts = computeCreditNoteAmounts(creditable, asked);
  const total = new Decimal(amounts.total);
  if (total.lte(0))
    throw creditExceedsInvoice(
      `No amount of the invoice can be credited in this way any more${reasonAtGateway(invoice)}`,
    );
  if (total.gt(most))
    throw creditExceedsInvoice(
      `The credit note would be over ${amounts.total}; at most ${moneyString(most, invoice.currency)} ${invoice.currency} is left${reasonAtGateway(invoice)}`,
    );
  return {
    creditNoteId,
    issuedAt: at,
    reason,
    memo,
    ...amounts,
    ...splitByTarget(target, amounts.total, invoice),
  };
}

function resolveTarget(asked: CreditNoteTarget | null, invoice: Invoice): CreditNoteTarget {
  switch (invoice.status) {
    case 'draft':
    case 'void':
      throw new InvalidRequest(
        'not_creditable',
        `The invoice is ${invoice.status}; only one that was opened can be credited`,
      );
    case 'open':
    case 'uncollectible':
      if (asked !== null && asked !== 'unpaid')
        throw InvalidRequest.field(
          'to',
          `must be unpaid, since the invoice is not paid: there is nothing to give back`,
          'not_creditable',
        );
      return 'unpaid';
    case 'paid':
      if (asked === 'unpaid')
        throw InvalidRequest.field(
          'to',
          'must be refund or balance, since the invoice is paid: there is nothing left to pay',
          'not_creditable',
        );
      return asked ?? (refundableAmounts(invoice).byCard.gt(0) ? 'refund' : 'balance');
  }
}

function maximumCredit(target: CreditNoteTarget, invoice: Invoice): Decimal {
  const { total, balanceApplied, creditNotes, reductions, currency } = invoice;
  const reduced = totalReductionByGiveBacks(reductions);
  const unpaid = totalReductionByCreditNotes(creditNotes);
  if (target === 'unpaid') {
    const paid = reduced.plus(balanceApplied).plus(amountPaid(invoice)).toFixed();
    const settlement = { total, paid, alreadyCredited: unpaid.toFixed() };
    return new Decimal(creditNoteLimit('adjustment', settlement, currency));
  }
  const paid = new Decimal(total).minus(unpaid).minus(reduced).toFixed();
  const already = sumOf(
    notVoidedCreditNotes(creditNotes).flatMap(({ refunded, toBalance }) => [refunded, toBalance]),
  )
    .plus(moneyGoneAtGateway(invoice))
    .minus(coveredInTotal(invoice))
    .minus(takenBackInTotal(invoice))
    .toFixed();
  return new Decimal(creditNoteLimit('refund', { total, paid, alreadyCredited: already }, currency));
}

function splitByTarget(
  target: CreditNoteTarget,
  total: DecimalString,
  invoice: Invoice,
): Pick<CreditNoteDetails, 'unpaid' | 'toBalance' | 'refunded'> {
  const nothing = moneyString(sumOf([]), invoice.currency);
  switch (target) {
    case 'unpaid':
      return { unpaid: total, toBalance: nothing, refunded: nothing };
    case 'balance':
      return { unpaid: nothing, toBalance: total, refunded: nothing };
    case 'refund': {
      const { byCard, fromBalance } = refundableAmounts(invoice);
      const used = { credits: fromBalance.toFixed(), paid: byCard.toFixed() };
      const { toBalance, refunded } = splitRefund(total, used, invoice.currency);
      // Money that was refunded for another invoice cannot be refunded again, and only a card can be refunded. The rest goes to the balance.
      const uncovered = new Decimal(total).minus(toBalance).minus(refunded);
      const onBalance = moneyString(uncovered.plus(toBalance), invoice.currency);
      return { unpaid: nothing, toBalance: onBalance, refunded };
    }
  }
}

/** Refuses fractions of the smallest currency unit, lines that are not on the invoice, and amounts above the remaining amount of a line. */
function requireValidCredit(credit: RequestedCreditAmounts, { lines, currency }: CreditableInvoice): void {
  if (credit.lines === undefined) return requireWholeMinorUnits('amount', credit.amount, currency);
  credit.lines.forEach(({ id, amount }, i) => {
    const field = `lines[${i}]`;
    const line = lines.find((one) => one.id === id);
    if (!line)
      throw new NotFound('invoice_line_not_found', `No line "${id}" on this invoice`, [
        { field: `${field}.lineId`, message: 'must name a line of the invoice' },
      ]);
    if (credit.lines.findIndex((one) => one.id === id) < i)
      throw InvalidRequest.field(`${field}.lineId`, 'must not repeat a line');
    requireWholeMinorUnits(`${field}.amount`, amount, currency);
    const most = creditableLineAmount(line, currency);
    if (new Decimal(amount).gt(most))
      throw InvalidRequest.field(
        `${field}.amount`,
        `must be at most the remaining amount of the line, ${most} ${currency}`,
        'credit_exceeds_line',
      );
  });
}

function creditExceedsInvoice(message: string): InvalidRequest {
  return new InvalidRequest('credit_exceeds_invoice', message);
}

/**
 * The amounts of a paid invoice that can still be given back. `inMoney` was paid by cards and recorded payments, and `fromBalance` by the
 * customer's balance. Credit notes and refunds are deducted from each amount. `byCard` is the part of `inMoney` that the gateway can
 * refund. It is at most the part of the first successful charge that was not refunded yet. Amounts that later invoices gave back without a
 * refund are deducted from `fromBalance`, because they went to the balance or paid for new charges.
 */
export function refundableAmounts(invoice: Invoice): {
  inMoney: Decimal;
  byCard: Decimal;
  fromBalance: Decimal;
} {
  const { total, creditNotes, givenBack, reductions } = invoice;
  // A debt that the invoice collected is not for its own lines, so no credit note can give it back.
  const paidByBalance = amountPaidByBalancePayments(invoice.recordedPayments).plus(
    Decimal.max(invoice.balanceApplied, 0),
  );
  const refunds = sumOf(invoice.refunds.map(({ amount }) => amount));
  const gone = moneyGoneAtGateway(invoice);
  const reduced = totalReductionByGiveBacks(reductions);
  const notes = notVoidedCreditNotes(creditNotes);
  const refunded = sumOf(notes.map((note) => note.refunded))
    .plus(refunds)
    .minus(coveredInTotal(invoice));
  const onBalance = sumOf(notes.map(({ toBalance }) => toBalance));
  const returned = Decimal.max(onBalance.minus(takenBackInTotal(invoice)), 0);
  const inMoney = new Decimal(total)
    .minus(paidByBalance)
    .minus(totalReductionByCreditNotes(creditNotes))
    .minus(reduced)
    .minus(refunded)
    .minus(gone)
    // If credit notes added more to the balance than the balance had paid, the difference was paid in money.
    .minus(Decimal.max(returned.minus(paidByBalance), 0));
  const charge = invoice.attempts.find(({ status }) => status === 'succeeded');
  const byCard = Decimal.min(inMoney, new Decimal(charge?.amount ?? 0).minus(refunded).minus(gone));
  const kept = sumOf(givenBack.map((one) => grossGiveBackAmount(one, invoice)))
    .minus(reduced)
    .minus(refunds);
  const fromBalance = paidByBalance.minus(returned).minus(Decimal.max(kept, 0));
  return {
    inMoney: Decimal.max(inMoney, 0),
    byCard: Decimal.max(byCard, 0),
    fromBalance: Decimal.max(fromBalance, 0),
  };
}

/** The money that cannot be refunded any more: refunds at the payment processor itself, and disputes that are open or lost. */
function moneyGoneAtGateway(invoice: Invoice): Decimal {
  return moneyReturnedAtGateway(invoice).plus(disputedMoney(invoice));
}

/** Says what went back at the payment processor, and what is disputed. Empty if the invoice has neither. */
function reasonAtGateway(invoice: Invoice): string {
  const { currency } = invoice;
  const returned = moneyReturnedAtGateway(invoice);
  const disputed = disputedMoney(invoice);
  return [
    returned.isZero()
      ? ''
      : `; ${moneyString(returned, currency)} ${currency} went back at the payment processor`,
    disputed.isZero()
      ? ''
      : `; ${moneyString(disputed, currency)} ${currency} is disputed and can be credited if the dispute is won`,
  ].join('');
}
