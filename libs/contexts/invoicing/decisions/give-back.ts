import { Conflict, Decimal, StateConflict, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { creditableInvoiceAmount, type LineNetAmount, type TaxAmount } from '#libs/rating';
import { toCreditableInvoice } from '../credit-notes/creditable-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { grossGiveBackAmount, paymentRefundLeft, type GiveBack } from '../give-backs/give-back.js';
import { amountToPay, type Invoice } from '../invoice.js';
import { creditableLines, linesCreditableBy } from '../creditable-lines.js';
import { refundableAmounts } from './credit-note-amounts.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf, requireNoPaymentInProgress } from './payment-guards.js';

/**
 * Records the lines whose amounts a later invoice gives back. The record is possible on paid and unpaid invoices, because it does not
 * change the amount due.
 */
export function recordGivenBackLines(
  { at, byInvoiceId, lines, taxes }: InvoiceCommandOf<'GiveBackLines'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const asked = { byInvoiceId, lines, ...(taxes ? { taxes } : {}) };
  const decision = decideGiveBack(asked, invoice);
  const about = { at, ...invoiceReferenceOf(invoice) };
  return [
    ...(decision?.returned
      ? [{ type: 'InvoiceGiveBackReturned' as const, data: { ...about, byInvoiceId } }]
      : []),
    ...(decision?.given
      ? [{ type: 'InvoiceLinesGivenBack' as const, data: { ...about, ...decision.given } }]
      : []),
  ];
}

export function undoGiveBack(
  { at, byInvoiceId }: InvoiceCommandOf<'UndoGiveBack'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (!recordedGiveBack(byInvoiceId, invoice)) return [];
  requireGiveBackUnused(byInvoiceId, invoice);
  return [{ type: 'InvoiceGiveBackReturned', data: { at, ...invoiceReferenceOf(invoice), byInvoiceId } }];
}

/** Reduces the amount due by a part of the excess of a later invoice, which gives back amounts of this invoice. */
export function reduceAmountDueByGiveBack(
  { at, byInvoiceId, amount: most }: InvoiceCommandOf<'ReduceByGiveBack'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const reduction = reductionAmount(byInvoiceId, most, invoice);
  if (reduction.isZero()) return [];
  // A charge that is in progress could succeed with the old, larger amount.
  requireNoPaymentInProgress(invoice);
  const reference = { at, ...invoiceReferenceOf(invoice) };
  const amount = moneyString(reduction, invoice.currency);
  const events: InvoiceEvent[] = [
    {
      type: 'InvoiceReduced',
      data: {
        ...reference,
        byInvoiceId,
        amount,
        ...(invoice.status === 'uncollectible' ? { writtenOff: true as const } : {}),
      },
    },
  ];
  if (reduction.eq(amountToPay(invoice)))
    events.push({ type: 'InvoicePaid', data: { ...reference, attemptId: null } });
  return events;
}

/** Starts the refund of a part of the excess of a later invoice, from the payment of this invoice. */
export function startPaymentRefund(
  { at, byInvoiceId, amount: most }: InvoiceCommandOf<'RefundPayment'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = refundableExcess(byInvoiceId, most, invoice);
  if (refund.isZero()) return [];
  const amount = moneyString(refund, invoice.currency);
  return [
    { type: 'PaymentRefundStarted', data: { at, ...invoiceReferenceOf(invoice), byInvoiceId, amount } },
  ];
}

export function completePaymentRefund(
  { at, byInvoiceId }: InvoiceCommandOf<'CompletePaymentRefund'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = invoice.refunds.find((one) => one.byInvoiceId === byInvoiceId);
  if (refund?.status !== 'pending') return [];
  const amount = moneyString(paymentRefundLeft(refund), invoice.currency);
  return [{ type: 'PaymentRefunded', data: { at, ...invoiceReferenceOf(invoice), byInvoiceId, amount } }];
}

/** Records that the payment gateway refused the refund. The amount of a refused refund goes to the customer's balance. */
export function recordPaymentRefundRefusal(
  { at, byInvoiceId, message }: InvoiceCommandOf<'RefusePaymentRefund'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = invoice.refunds.find((one) => one.byInvoiceId === byInvoiceId);
  if (refund?.status !== 'pending') return [];
  const amount = moneyString(paymentRefundLeft(refund), invoice.currency);
  const data = { at, ...invoiceReferenceOf(invoice), byInvoiceId, amount, message };
  return [{ type: 'PaymentRefundRefused', data }];
}

/** The changes to the recorded give-back of a later invoice. */
interface GiveBackDecision {
  /** True if the later invoice had recorded another give-back before, which is undone. */
  readonly returned: boolean;
  /** The give-back to record; undefined if the later invoice gives back nothing. */
  readonly given: GiveBack | undefined;
}

/**
 * Decides how the give-back of a later invoice replaces the earlier record of that invoice. Returns undefined if the give-back is
 * unchanged. Throws Conflict (`give_back_used`) if the recorded give-back has already reduced the amount due. Throws Conflict
 * (`give_back_exceeds_line`) if the give-back exceeds what can still be given back of a line.
 */
function decideGiveBack(asked: GiveBack, invoice: Invoice): GiveBackDecision | undefined {
  const giveBack = normalizeGiveBack(asked, invoice.currency);
  const { byInvoiceId, lines } = giveBack;
  const known = recordedGiveBack(byInvoiceId, invoice);
  if (giveBackLinesAsText(known) === giveBackLinesAsText(giveBack)) return undefined;
  if (known) requireGiveBackUnused(byInvoiceId, invoice);
  const left = new Map(linesCreditableBy(byInvoiceId, invoice).map((line) => [line.lineId, line.left]));
  for (const { lineId, amount } of lines) {
    const most = left.get(lineId) ?? '0';
    if (new Decimal(amount).gt(most))
      throw new Conflict(
        'give_back_exceeds_line',
        `Line ${lineId} of invoice ${invoice.invoiceId} has ${most} ${invoice.currency} left, but the give-back needs ${amount}; ` +
          'compute the give-back again',
      );
  }
  return { returned: known !== undefined, given: lines.length > 0 ? giveBack : undefined };
}

/** Throws Conflict (`give_back_used`) if a give-back that must change has already reduced the amount due. */
function requireGiveBackUnused(laterInvoiceId: string, invoice: Invoice): void {
  // This should never happen. Only an opened invoice reduces other invoices. Such an invoice is paid at once, and a paid invoice cannot be
  // voided.
  if (isReducedBy(laterInvoiceId, invoice))
    throw new Conflict(
      'give_back_used',
      `The give-back of invoice ${laterInvoiceId} has already reduced the amount due of this one`,
    );
}

/** Returns the recorded give-back of a later invoice. Returns undefined if the later invoice has recorded no give-back. */
function recordedGiveBack(laterInvoiceId: string, { givenBack }: Invoice): GiveBack | undefined {
  return givenBack.find((one) => one.byInvoiceId === laterInvoiceId);
}

/**
 * Returns the amount by which the give-back of a later invoice, with taxes, reduces the amount due of this invoice. The result is at most
 * `most`. Returns zero if the give-back has already reduced the amount due, or if nothing is due.
 */
function reductionAmount(laterInvoiceId: string, most: DecimalString, invoice: Invoice): Decimal {
  const giveBack = recordedGiveBack(laterInvoiceId, invoice);
  const isOwed = invoice.status === 'open' || invoice.status === 'uncollectible';
  if (!giveBack || !isOwed || isReducedBy(laterInvoiceId, invoice)) return new Decimal(0);
  return Decimal.min(most, amountToPay(invoice), grossGiveBackAmount(giveBack, invoice));
}

/** Tells whether the give-back of a later invoice has reduced the amount due. */
function isReducedBy(laterInvoiceId: string, { reductions }: Invoice): boolean {
  return reductions.some((one) => one.byInvoiceId === laterInvoiceId);
}

/** Throws StateConflict (`invoice_given_back`) if later invoices gave back a part of the invoice to void. */
export function requireNoGiveBacks(invoice: Invoice): void {
  if (invoice.givenBack.length === 0) return;
  const isLeft = creditableLines(invoice).some(({ left }) => !new Decimal(left).isZero());
  throw new StateConflict(
    'invoice_given_back',
    'A part of the charges of the invoice was already given back, by a change of the subscription or by a later invoice. ' +
      (isLeft
        ? 'It cannot be voided; once it is open, credit the remaining amount with a credit note'
        : 'It cannot be voided; mark it uncollectible if it will not be paid'),
  );
}

/**
 * Normalizes a give-back, so that equal give-backs can be recognized. The normalized give-back contains each line and each tax once,
 * ordered by id, without zero amounts.
 */
function normalizeGiveBack({ byInvoiceId, lines, taxes = [] }: GiveBack, currency: string): GiveBack {
  const ofLines = sumByKey(lines, ({ lineId }: LineNetAmount) => lineId, currency);
  const ofTaxes = sumByKey(taxes, ({ taxRateId }: TaxAmount) => taxRateId, currency);
  return {
    byInvoiceId,
    lines: ofLines.map(([lineId, amount]) => ({ lineId, amount })),
    ...(ofTaxes.length > 0 ? { taxes: ofTaxes.map(([taxRateId, amount]) => ({ taxRateId, amount })) } : {}),
  };
}

/**
 * Returns the lines of a give-back as one string, which is used to compare give-backs. The string contains no taxes, because the taxes are
 * computed from the lines.
 */
function giveBackLinesAsText(giveBack: GiveBack | undefined): string {
  return (giveBack?.lines ?? []).map(({ lineId, amount }) => `${lineId} ${amount}`).join('\n');
}

function sumByKey<T extends { readonly amount: DecimalString }>(
  parts: readonly T[],
  keyOf: (part: T) => string,
  currency: string,
): [string, DecimalString][] {
  return [...Map.groupBy(parts, keyOf)]
    .map(([key, ofKey]): [string, Decimal] => [key, sumOf(ofKey.map(({ amount }) => amount))])
    .filter(([, amount]) => !amount.isZero())
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, amount]) => [key, moneyString(amount, currency)]);
}

/**
 * Returns the part of a later invoice's excess that can be refunded from this invoice's payment. The result is at most `most`. Returns zero
 * if this invoice was already refunded for the later invoice. The amount that credit notes can still credit on this invoice is not
 * refunded, so that they can still pay it back.
 */
function refundableExcess(laterInvoiceId: string, most: DecimalString, invoice: Invoice): Decimal {
  const isDone = invoice.refunds.some((one) => one.byInvoiceId === laterInvoiceId);
  if (invoice.status !== 'paid' || isDone) return new Decimal(0);
  const { inMoney, byCard } = refundableAmounts(invoice);
  const spare = inMoney.minus(creditableInvoiceAmount(toCreditableInvoice(invoice)));
  return Decimal.max(Decimal.min(most, spare, byCard), 0);
}
