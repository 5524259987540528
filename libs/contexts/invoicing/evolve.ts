import { Decimal, moneyString, type Instant } from '#libs/kernel/core';
import { requireCreated } from '#libs/kernel/domain';
import { refundLeftOf, requireCreditNote, type CreditNote } from './credit-notes/credit-note.js';
import { divideReturnedAmount } from './credit-notes/creditable-invoice.js';
import type { DisputeReport, InvoiceEvent } from './events.js';
import {
  paymentRefundLeft,
  type CoveredRefund,
  type ExcessOfReturn,
  type PaymentRefund,
} from './give-backs/give-back.js';
import {
  dueDateAfter,
  optionalInvoiceAmounts,
  omitRecomputedOptionalFields,
  VOIDED_ATTEMPT_CODE,
  type Invoice,
  type PaymentAttempt,
  type RefundWithoutDocument,
} from './invoice.js';
import { NO_RETRIES, type RetryPlan } from './payment-retries.js';
import type { RecordedPayment } from './recorded-payments/recorded-payment.js';

/** Returns the state of an invoice after an event. */
export function evolve(state: Invoice | undefined, event: InvoiceEvent): Invoice {
  if (event.type === 'InvoiceCreated') return draftFromCreation(event.data);
  const invoice = requireCreated(state, event);
  switch (event.type) {
    case 'DraftRecomputed': {
      const { lines, total } = event.data;
      return {
        ...omitRecomputedOptionalFields(invoice),
        lines,
        total,
        ...optionalInvoiceAmounts(event.data),
      };
    }
    case 'InvoiceOpened': {
      const { at, number, sellerName, dueDate, balanceApplied = invoice.balanceApplied } = event.data;
      return { ...invoice, status: 'open', issuedAt: at, number, sellerName, dueDate, balanceApplied };
    }
    case 'PaymentStarted': {
      const { attemptId, attempt, retry, amount, currency, method, chosenMethod, at } = event.data;
      const started: PaymentAttempt = {
        attemptId,
        attempt,
        ...(retry === undefined ? {} : { retry }),
        status: 'pending',
        amount,
        currency,
        method,
        ...(chosenMethod === undefined ? {} : { chosenMethod }),
        confirmed: false,
        startedAt: at,
        finishedAt: null,
        code: null,
        message: null,
      };
      const attempts = [...invoice.attempts, started];
      if (retry === undefined) return { ...invoice, attempts };
      return { ...invoice, attempts, retries: { ...NO_RETRIES, ...invoice.retries, made: retry } };
    }
    case 'PaymentActionRequired': {
      const { attemptId, message, retries } = event.data;
      const waiting = withAttempt(invoice, attemptId, {
        status: 'requires_action',
        code: 'authentication_required',
        message,
      });
      return withPlan(waiting, attemptId, retries);
    }
    case 'PaymentConfirmed':
      return withAttempt(invoice, event.data.attemptId, {
        status: 'pending',
        confirmed: true,
        code: null,
        message: null,
      });
    case 'PaymentSucceeded':
      return withAttempt(invoice, event.data.attemptId, { status: 'succeeded', finishedAt: event.data.at });
    case 'PaymentFailed': {
      const { attemptId, at, code, message, retries } = event.data;
      const failed = withAttempt(invoice, attemptId, { status: 'failed', finishedAt: at, code, message });
      return withPlan(failed, attemptId, retries);
    }
    case 'PaymentRetrySkipped':
      return withPlan(invoice, event.data.attemptId, event.data.retries);
    case 'PaymentRetriesEnded':
      return { ...invoice, retries: { ...NO_RETRIES, ...invoice.retries, gaveUp: true } };
    case 'PaymentRecorded': {
      const { paymentId, amount, toBalance, method, paidAt, at, reference = null, carried } = event.data;
      const nothing = moneyString(new Decimal(0), invoice.currency);
      return withRecordedPayment(invoice, {
        paymentId,
        status: 'succeeded',
        method,
        amount,
        toBalance: toBalance ?? nothing,
        paidAt,
        recordedAt: at,
        reference,
        reversedAt: null,
        reversalReason: null,
        ...(carried ? { carried } : {}),
      });
    }
    case 'BalancePaymentStarted': {
      const { paymentId, amount, carried, at } = event.data;
      const nothing = moneyString(new Decimal(0), invoice.currency);
      return withRecordedPayment(invoice, {
        paymentId,
        status: 'pending',
        method: 'balance',
        amount,
        toBalance: nothing,
        paidAt: at,
        recordedAt: at,
        reference: null,
        reversedAt: null,
        reversalReason: null,
        ...(carried ? { carried } : {}),
      });
    }
    case 'BalancePaymentFailed':
      return withChangedPayment(invoice, event.data.paymentId, { status: 'failed' });
    case 'RecordedPaymentReversed': {
      const { paymentId, at: reversedAt, reason: reversalReason, reopens } = event.data;
      const change = { status: 'reversed', reversedAt, reversalReason } as const;
      if (!reopens) return withChangedPayment(invoice, paymentId, change);
      const reversed = withChangedPayment(invoice, paymentId, { ...change, reopened: true });
      const status = invoice.writtenOff ? 'uncollectible' : 'open';
      return withoutRetryPlan({ ...reversed, status, paidAt: null });
    }
    case 'InvoicePaid':
      return { ...invoice, status: 'paid', paidAt: event.data.at };
    case 'CreditNoteIssued': {
      const { note } = event.data;
      const refundStatus = new Decimal(note.refunded).isZero() ? 'none' : 'pending';
      return { ...invoice, creditNotes: [...invoice.creditNotes, { ...note, number: null, refundStatus }] };
    }
    case 'CreditNoteNumbered':
      return withCreditNote(invoice, event.data.creditNoteId, { number: event.data.number });
    case 'CreditNoteRefunded':
      return withCreditNote(invoice, event.data.creditNoteId, { refundStatus: 'succeeded' });
    case 'CreditNoteRefundRefused': {
      const { creditNoteId, message: refundRefusal } = event.data;
      return withCreditNote(invoice, creditNoteId, { refundStatus: 'refused', refundRefusal });
    }
    case 'CreditNoteRefundFailed': {
      const { creditNoteId, message: refundRefusal } = event.data;
      return withCreditNote(invoice, creditNoteId, { refundStatus: 'failed', refundRefusal });
    }
    case 'CreditNoteVoided': {
      const { creditNoteId, at: voidedAt, reason: voidReason } = event.data;
      return withCreditNote(invoice, creditNoteId, { voidedAt, voidReason });
    }
    case 'InvoiceLinesGivenBack': {
      const { byInvoiceId, lines, taxes } = event.data;
      const giveBack = { byInvoiceId, lines, ...(taxes ? { taxes } : {}) };
      return { ...invoice, givenBack: [...invoice.givenBack, giveBack] };
    }
    case 'InvoiceGiveBackReturned': {
      const { byInvoiceId } = event.data;
      return { ...invoice, givenBack: invoice.givenBack.filter((one) => one.byInvoiceId !== byInvoiceId) };
    }
    case 'InvoiceReduced': {
      const { byInvoiceId, amount } = event.data;
      return { ...invoice, reductions: [...invoice.reductions, { byInvoiceId, amount }] };
    }
    case 'PaymentRefundStarted': {
      const { byInvoiceId, amount } = event.data;
      return { ...invoice, refunds: [...invoice.refunds, { byInvoiceId, amount, status: 'pending' }] };
    }
    case 'PaymentRefunded':
      return withRefund(invoice, event.data.byInvoiceId, { status: 'succeeded' });
    case 'PaymentRefundRefused': {
      const { byInvoiceId, message: refusal } = event.data;
      return withRefund(invoice, byInvoiceId, { status: 'refused', refusal });
    }
    case 'PaymentRefundFailed': {
      const { byInvoiceId, message: refusal } = event.data;
      return withRefund(invoice, byInvoiceId, { status: 'failed', refusal });
    }
    case 'PaymentDisputed': {
      const {
        at: openedAt,
        returned = divideReturnedAmount(invoice, event.data.amount),
        ...report
      } = event.data;
      const dispute = { ...disputeReportOf(report), openedAt, closedAt: null, returned };
      return { ...invoice, disputes: [...(invoice.disputes ?? []), dispute] };
    }
    case 'PaymentDisputeClosed': {
      const { disputeId, at: closedAt, status, amount, reason } = event.data;
      const { returned = divideReturnedAmount(withoutDispute(invoice, disputeId), amount) } = event.data;
      const change = { status, amount, reason, closedAt, returned, ...excessFields(event.data) };
      const disputes = (invoice.disputes ?? []).map((one) =>
        one.disputeId === disputeId ? { ...one, ...change } : one,
      );
      return withCovers({ ...invoice, disputes }, event.data.covers);
    }
    case 'GatewayRefundFound': {
      const { attemptId, refundId, amount, returned = divideReturnedAmount(invoice, amount) } = event.data;
      const refund = { attemptId, refundId, amount, returned, ...excessFields(event.data) };
      const gatewayRefunds = [...(invoice.gatewayRefunds ?? []), refund];
      return withCovers({ ...invoice, gatewayRefunds }, event.data.covers);
    }
    case 'GatewayRefundFailed': {
      const { attemptId, refundId, amount, message: failure } = event.data;
      const before = invoice.gatewayRefunds ?? [];
      const known = before.find((one) => one.refundId === refundId);
      const failed = { attemptId, refundId, amount, failure, ...takenBackOf(known) };
      const gatewayRefunds = known
        ? before.map((one) => (one.refundId === refundId ? failed : one))
        : [...before, failed];
      return withoutCovers({ ...invoice, gatewayRefunds }, known?.covers, failure);
    }
    case 'ReturnedMoneyTakenBack': {
      const { returnId, amount, currency } = event.data;
      const plus = <Return extends { takenBack?: string }>(one: Return): Return => ({
        ...one,
        takenBack: moneyString(new Decimal(one.takenBack ?? 0).plus(amount), currency),
      });
      const { gatewayRefunds, disputes } = invoice;
      return {
        ...invoice,
        ...(gatewayRefunds
          ? { gatewayRefunds: gatewayRefunds.map((one) => (one.refundId === returnId ? plus(one) : one)) }
          : {}),
        ...(disputes
          ? { disputes: disputes.map((one) => (one.disputeId === returnId ? plus(one) : one)) }
          : {}),
      };
    }
    case 'InvoiceMarkedUncollectible':
      return { ...invoice, status: 'uncollectible', writtenOff: true };
    case 'InvoiceVoided': {
      const { at: voidedAt, reason: voidReason } = event.data;
      return { ...withoutWaitingAttempt(invoice, voidedAt), status: 'void', voidedAt, voidReason };
    }
  }
}

function draftFromCreation({
  at,
  ...details
}: Extract<InvoiceEvent, { type: 'InvoiceCreated' }>['data']): Invoice {
  return {
    ...details,
    status: 'draft',
    createdAt: at,
    number: null,
    sellerName: null,
    balanceApplied: moneyString(new Decimal(0), details.currency),
    issuedAt: null,
    dueDate: dueDateAfter(details.billedAt, details.settings.netDays),
    paidAt: null,
    voidedAt: null,
    voidReason: null,
    attempts: [],
    creditNotes: [],
    givenBack: [],
    reductions: [],
    refunds: [],
  };
}

function disputeReportOf({ attemptId, disputeId, amount, reason, status }: DisputeReport): DisputeReport {
  return { attemptId, disputeId, amount, reason, status };
}

/** Returns the invoice without one of its disputes. */
export function withoutDispute(invoice: Invoice, disputeId: string): Invoice {
  const { disputes = [] } = invoice;
  return { ...invoice, disputes: disputes.filter((one) => one.disputeId !== disputeId) };
}

function excessFields({ excess, covers }: ExcessOfReturn): ExcessOfReturn {
  return { ...(excess === undefined ? {} : { excess }), ...(covers === undefined ? {} : { covers }) };
}

function takenBackOf(refund: RefundWithoutDocument | undefined): Pick<RefundWithoutDocument, 'takenBack'> {
  return refund?.takenBack === undefined ? {} : { takenBack: refund.takenBack };
}

/** Returns the invoice after money at the payment processor has taken the place of refunds of ours. */
function withCovers(invoice: Invoice, covers: readonly CoveredRefund[] = []): Invoice {
  const { currency } = invoice;
  return covers.reduce<Invoice>((before, cover) => {
    if ('creditNoteId' in cover) {
      const note = requireCreditNote(cover.creditNoteId, before.creditNotes);
      const refundCovered = moneyString(new Decimal(note.refundCovered ?? 0).plus(cover.amount), currency);
      const isDone = refundLeftOf({ ...note, refundCovered }).isZero();
      const { refundStatus } = note;
      return withCreditNote(before, cover.creditNoteId, {
        refundCovered,
        refundStatus: isDone ? 'succeeded' : refundStatus,
      });
    }
    const refund = before.refunds.find(({ byInvoiceId }) => byInvoiceId === cover.byInvoiceId)!;
    const covered = moneyString(new Decimal(refund.covered ?? 0).plus(cover.amount), currency);
    const isDone = paymentRefundLeft({ ...refund, covered }).isZero();
    return withRefund(before, cover.byInvoiceId, { covered, status: isDone ? 'succeeded' : refund.status });
  }, invoice);
}

/** Returns the invoice after a refund at the payment processor that had taken the place of refunds of ours has failed. */
function withoutCovers(invoice: Invoice, covers: readonly CoveredRefund[] = [], message: string): Invoice {
  const { currency } = invoice;
  return covers.reduce<Invoice>((before, cover) => {
    if ('creditNoteId' in cover) {
      const note = requireCreditNote(cover.creditNoteId, before.creditNotes);
      const refundCovered = moneyString(new Decimal(note.refundCovered ?? 0).minus(cover.amount), currency);
      if (note.refundStatus === 'pending')
        return withCreditNote(before, cover.creditNoteId, { refundCovered });
      const isPartlyMade = note.refundStatus === 'succeeded' && !refundLeftOf(note).isZero();
      return withCreditNote(before, cover.creditNoteId, {
        refundCovered,
        refundStatus: 'failed',
        refundRefusal: message,
        ...(isPartlyMade ? { refundPartlyMade: true } : {}),
      });
    }
    const refund = before.refunds.find(({ byInvoiceId }) => byInvoiceId === cover.byInvoiceId)!;
    const covered = moneyString(new Decimal(refund.covered ?? 0).minus(cover.amount), currency);
    const ended = refund.status === 'pending' ? {} : ({ status: 'failed', refusal: message } as const);
    return withRefund(before, cover.byInvoiceId, { covered, ...ended });
  }, invoice);
}

function withCreditNote(invoice: Invoice, creditNoteId: string, change: Partial<CreditNote>): Invoice {
  return {
    ...invoice,
    creditNotes: invoice.creditNotes.map((note) =>
      note.creditNoteId === creditNoteId ? { ...note, ...change } : note,
    ),
  };
}

function withRefund(invoice: Invoice, laterInvoiceId: string, change: Partial<PaymentRefund>): Invoice {
  return {
    ...invoice,
    refunds: invoice.refunds.map((one) => (one.byInvoiceId === laterInvoiceId ? { ...one, ...change } : one)),
  };
}

/**
 * Returns the invoice with the retry plan after a payment attempt. An invoice that never had a retry plan stays without retries. Retries
 * that have ended stay ended, with their original reason.
 */
function withPlan(invoice: Invoice, attemptId: string, plan: RetryPlan | undefined): Invoice {
  if (invoice.retries?.gaveUp) return invoice;
  if (plan)
    return { ...invoice, retries: { ...NO_RETRIES, ...invoice.retries, plan, afterAttemptId: attemptId } };
  return withoutRetryPlan(invoice);
}

function withoutRetryPlan(invoice: Invoice): Invoice {
  if (!invoice.retries) return invoice;
  return { ...invoice, retries: { ...invoice.retries, plan: null, afterAttemptId: null } };
}

/** Returns the invoice with a recorded payment. A payment from the balance that succeeds replaces its own pending record. */
function withRecordedPayment(invoice: Invoice, payment: RecordedPayment): Invoice {
  const { recordedPayments: before = [] } = invoice;
  if (before.some(({ paymentId }) => paymentId === payment.paymentId))
    return withChangedPayment(invoice, payment.paymentId, payment);
  return { ...invoice, recordedPayments: [...before, payment] };
}

function withChangedPayment(invoice: Invoice, paymentId: string, change: Partial<RecordedPayment>): Invoice {
  const { recordedPayments = [] } = invoice;
  return {
    ...invoice,
    recordedPayments: recordedPayments.map((payment) =>
      payment.paymentId === paymentId ? { ...payment, ...change } : payment,
    ),
  };
}

/** Returns a voided invoice. A payment that waits for a confirmation fails with the void, because nobody may confirm it any more. */
function withoutWaitingAttempt(invoice: Invoice, voidedAt: Instant): Invoice {
  return {
    ...invoice,
    attempts: invoice.attempts.map((attempt) =>
      attempt.status === 'requires_action'
        ? {
            ...attempt,
            status: 'failed',
            finishedAt: voidedAt,
            code: VOIDED_ATTEMPT_CODE,
            message: 'The invoice was voided before the customer confirmed the payment.',
          }
        : attempt,
    ),
  };
}

function withAttempt(invoice: Invoice, attemptId: string, change: Partial<PaymentAttempt>): Invoice {
  return {
    ...invoice,
    attempts: invoice.attempts.map((attempt) =>
      attempt.attemptId === attemptId ? { ...attempt, ...change } : attempt,
    ),
  };
}
