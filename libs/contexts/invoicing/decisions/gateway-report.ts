import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { refundLeftOf } from '../credit-notes/credit-note.js';
import { divideReturnedAmount } from '../credit-notes/creditable-invoice.js';
import type { InvoiceEvent } from '../events.js';
import { evolve, withoutDispute } from '../evolve.js';
import { excessOfReturn } from '../excess-returns.js';
import { paymentRefundId, paymentRefundLeft, type CoveredRefund } from '../give-backs/give-back.js';
import type { Invoice } from '../invoice.js';
import type { InvoiceCommandOf } from './invoice-command.js';
import { invoiceReferenceOf } from './payment-guards.js';

/** The statuses of a dispute that the bank has decided (docs.stripe.com/api/disputes/object, `status`). */
const CLOSED: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed', 'prevented']);

/**
 * Records that a payment is disputed, and how the dispute ended. Reports of disputes may come in any order and more than once. A closed
 * dispute does not change. Reports between the opening and the end of a dispute change nothing. A dispute of a charge that is not recorded
 * as a payment changes nothing, because the charge is not in the books.
 */
export function recordDispute(
  { at, dispute }: InvoiceCommandOf<'RecordDispute'>,
  invoice: Invoice,
): InvoiceEvent[] {
  if (!isPayment(invoice, dispute.attemptId)) return [];
  const known = invoice.disputes?.find(({ disputeId }) => disputeId === dispute.disputeId);
  const data = { at, ...invoiceReferenceOf(invoice), ...dispute };
  const isClosed = CLOSED.has(dispute.status);
  const returned = divideReturnedAmount(withoutDispute(invoice, dispute.disputeId), dispute.amount);
  const events: InvoiceEvent[] = [];
  if (!known) events.push({ type: 'PaymentDisputed', data: { ...data, returned } });
  if (!known?.closedAt && isClosed)
    events.push({
      type: 'PaymentDisputeClosed',
      data: {
        ...data,
        ...(dispute.status === 'lost'
          ? {
              returned,
              ...excessOfReturn(
                withoutDispute(invoice, dispute.disputeId),
                dispute.attemptId,
                dispute.amount,
              ),
            }
          : {}),
      },
    });
  return events;
}

/**
 * Records each refund once, and its failure once. Reports of refunds may come in any order. If the first report of a refund says that the
 * refund failed, both the refund and the failure are recorded. A late report of the refund then changes nothing. A refund of a charge that
 * is not recorded as a payment is not recorded, because the charge is not in the books.
 */
export function recordGatewayRefunds(
  { at, attemptId, refunds }: InvoiceCommandOf<'RecordGatewayRefunds'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const events: InvoiceEvent[] = [];
  let current = invoice;
  const record = (event: InvoiceEvent) => {
    events.push(event);
    current = evolve(current, event);
  };
  for (const { refundId, amount, failure } of refunds) {
    const known = invoice.gatewayRefunds?.find((one) => one.refundId === refundId);
    if (!known && !isPayment(invoice, attemptId)) continue;
    const data = { at, ...invoiceReferenceOf(invoice), attemptId, refundId, amount };
    if (!known)
      record({
        type: 'GatewayRefundFound',
        data: {
          ...data,
          returned: divideReturnedAmount(current, amount),
          ...excessOfReturn(current, attemptId, amount),
        },
      });
    if (failure !== undefined && known?.failure === undefined)
      record({
        type: 'GatewayRefundFailed',
        data: { ...data, message: failure, ...owedAfterFailure(current, refundId) },
      });
  }
  return events;
}

/** Records how much of a refund or a lost dispute was taken off the customer's balance. A repeated command changes nothing. */
export function recordTakenBack(
  { at, returnId, total }: InvoiceCommandOf<'RecordTakenBack'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const refund = invoice.gatewayRefunds?.find(({ refundId }) => refundId === returnId);
  const dispute = invoice.disputes?.find(({ disputeId }) => disputeId === returnId);
  const amount = new Decimal(total).minus((refund ?? dispute)?.takenBack ?? 0);
  if (amount.lte(0)) return [];
  const data = {
    at,
    ...invoiceReferenceOf(invoice),
    returnId,
    amount: moneyString(amount, invoice.currency),
    cause: refund ? ('refund' as const) : ('dispute' as const),
    ...(refund?.failure === undefined ? {} : { refundFailed: true as const }),
  };
  return [{ type: 'ReturnedMoneyTakenBack', data }];
}

/** What is owed to the customer again after a refund at the processor has failed. */
function owedAfterFailure(
  { gatewayRefunds = [], refunds, currency }: Invoice,
  refundId: string,
): { owedAgain?: DecimalString; toBalance?: DecimalString } {
  const { covers = [], takenBack = '0' } = gatewayRefunds.find((one) => one.refundId === refundId) ?? {};
  // The amount of a refund for a later invoice goes to the balance, as after the failure of a refund of ours. One that is not made yet is made.
  const goesToBalance = (cover: CoveredRefund) =>
    'byInvoiceId' in cover &&
    refunds.find(({ byInvoiceId }) => byInvoiceId === cover.byInvoiceId)?.status !== 'pending';
  const amountOf = (of: readonly CoveredRefund[]) => sumOf(of.map(({ amount }) => amount));
  const toBalance = amountOf(covers.filter(goesToBalance)).plus(takenBack);
  const owedAgain = amountOf(covers.filter((cover) => !goesToBalance(cover)));
  return {
    ...(owedAgain.isZero() ? {} : { owedAgain: moneyString(owedAgain, currency) }),
    ...(toBalance.isZero() ? {} : { toBalance: moneyString(toBalance, currency) }),
  };
}

/**
 * Records the failure of a refund that the payment gateway had accepted. If the failure is reported before the acceptance was recorded, the
 * refund counts as refused. A repeated report, or a report about a refund that is not recorded on the invoice, changes nothing.
 */
export function recordRefundFailure(
  command: InvoiceCommandOf<'RecordRefundFailure'>,
  invoice: Invoice,
): InvoiceEvent[] {
  const { at, attemptId, refundKey, refundId, failure: message } = command;
  const about = { at, ...invoiceReferenceOf(invoice) };
  if (refundKey === null) {
    if (invoice.gatewayRefunds?.some((one) => one.refundId === refundId)) return [];
    const data = { ...about, attemptId, refundId, amount: command.amount, message, unneeded: true as const };
    return [{ type: 'GatewayRefundFailed', data }];
  }
  const note = invoice.creditNotes.find(({ creditNoteId }) => creditNoteId === refundKey);
  if (note) {
    const data = {
      ...about,
      creditNoteId: refundKey,
      message,
      amount: moneyString(refundLeftOf(note), invoice.currency),
    };
    if (note.refundStatus === 'pending') return [{ type: 'CreditNoteRefundRefused', data }];
    if (note.refundStatus !== 'succeeded') return [];
    return [{ type: 'CreditNoteRefundFailed', data: { ...data, refundId } }];
  }
  const refund = invoice.refunds.find(
    ({ byInvoiceId }) => paymentRefundId(invoice.invoiceId, byInvoiceId) === refundKey,
  );
  if (!refund) return [];
  const { byInvoiceId, status } = refund;
  const amount = moneyString(paymentRefundLeft(refund), invoice.currency);
  const data = { ...about, byInvoiceId, amount, message };
  if (status === 'pending') return [{ type: 'PaymentRefundRefused', data }];
  return status === 'succeeded' ? [{ type: 'PaymentRefundFailed', data: { ...data, refundId } }] : [];
}

/** Tells whether a charge is recorded as a payment. The books contain only such charges. */
function isPayment({ attempts }: Invoice, attemptId: string): boolean {
  return attempts.some((attempt) => attempt.attemptId === attemptId && attempt.status === 'succeeded');
}
