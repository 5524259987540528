import type { DecimalString, Instant } from '#libs/kernel/core';
import type { ChargeOutcome } from '#libs/contexts/payments';
import type {
  ChargedPaymentMethod,
  DisputeReport,
  InvoiceDetails,
  InvoiceOpening,
  RecomputedAmounts,
} from '../events.js';
import type { GiveBack } from '../give-backs/give-back.js';
import type { RetryRules } from '../payment-retries.js';
import type { PaymentToRecord } from '../recorded-payments/recorded-payment.js';
import type { CreditNoteRequest } from './credit-note-amounts.js';

export type InvoiceCommand = { at: Instant; invoiceId: string } & (
  | { type: 'CreateInvoice'; details: InvoiceDetails }
  | { type: 'RecomputeDraft'; amounts: RecomputedAmounts }
  /** `opening` is needed for a draft. It is `null` if the invoice was not a draft when the command was created. */
  | { type: 'OpenInvoice'; opening: InvoiceOpening | null }
  /** This command also opens a draft. `method` is `null` for an invoice with nothing to pay. */
  | {
      type: 'StartPayment';
      attemptId: string;
      method: ChargedPaymentMethod | null;
      opening: InvoiceOpening | null;
      /** The failed attempt after which this retry was planned. Absent if the payment is no planned retry. */
      retryAfter?: string;
      /** The newest attempt when the payment was decided on. If another attempt was made since, the payment is refused. */
      newestAttempt?: string;
    }
  | { type: 'ConfirmPayment' }
  /** `retryRules` are null if failed payments are not retried. */
  | { type: 'CompletePayment'; attemptId: string; outcome: ChargeOutcome; retryRules: RetryRules | null }
  /** Records that the retry which was planned after an attempt is due, and that the customer has no payment method. */
  | { type: 'SkipPaymentRetry'; afterAttemptId: string; retryRules: RetryRules | null }
  /** Ends the retries that were planned after an attempt, if the invoice is still unpaid. */
  | { type: 'EndPaymentRetries'; afterAttemptId: string }
  | ({ type: 'RecordPayment' } & PaymentToRecord)
  /**
   * Starts a payment from the customer's balance, which holds `available`. If `amount` is null, it is as much as the balance can pay.
   */
  | { type: 'StartBalancePayment'; paymentId: string; amount: DecimalString | null; available: DecimalString }
  /** Records whether the balance paid the amount of a started payment. */
  | { type: 'CompleteBalancePayment'; paymentId: string; succeeded: boolean }
  /**
   * Reverses a recorded payment. Its excess must already be removed from the customer's balance. With `mustBeFirst`, a second reversal is an
   * error, otherwise it changes nothing.
   */
  | { type: 'ReversePayment'; paymentId: string; reason: string; mustBeFirst?: true }
  | ({ type: 'IssueCreditNote' } & CreditNoteRequest)
  | { type: 'NumberCreditNote'; creditNoteId: string; number: string }
  | { type: 'CompleteRefund'; creditNoteId: string }
  /** Records that the payment gateway refused the refund of a credit note for good. `message` is what it said. */
  | { type: 'RefuseRefund'; creditNoteId: string; message: string }
  /** The note's amount must already be removed from the customer's balance. */
  | { type: 'VoidCreditNote'; creditNoteId: string; reason: string | null }
  /** Records the lines of this invoice that a later invoice gives back. */
  | ({ type: 'GiveBackLines' } & GiveBack)
  /**
   * Undoes what the later invoice `byInvoiceId` gave back of this one, because the later invoice was voided or was not created.
   */
  | { type: 'UndoGiveBack'; byInvoiceId: string }
  /** Reduces the amount due by the give-back of the later invoice `byInvoiceId`. `amount` is the maximum reduction. */
  | { type: 'ReduceByGiveBack'; byInvoiceId: string; amount: DecimalString }
  /** Refunds the give-back of the later invoice `byInvoiceId` from the payment of this invoice. `amount` is the maximum refund. */
  | { type: 'RefundPayment'; byInvoiceId: string; amount: DecimalString }
  /** Records that the payment gateway has accepted the refund for the later invoice. */
  | { type: 'CompletePaymentRefund'; byInvoiceId: string }
  /** Records that the payment gateway refused the refund for the later invoice for good. `message` is what it said. */
  | { type: 'RefusePaymentRefund'; byInvoiceId: string; message: string }
  /** Records a dispute of a payment, in its present state at the payment processor. */
  | { type: 'RecordDispute'; dispute: DisputeReport }
  /** Records the refunds of a payment that were made at the payment processor itself. */
  | {
      type: 'RecordGatewayRefunds';
      attemptId: string;
      refunds: readonly { refundId: string; amount: DecimalString; failure?: string }[];
    }
  /**
   * Records that a refund failed after the payment gateway had accepted it. `refundKey` is the idempotency key with which it was asked for;
   * null if it is of a charge that the invoice did not need. `refundId` is the id of the processor.
   */
  | {
      type: 'RecordRefundFailure';
      attemptId: string;
      refundKey: string | null;
      refundId: string;
      amount: DecimalString;
      failure: string;
    }
  | { type: 'MarkUncollectible' }
  | { type: 'VoidInvoice'; reason: string | null }
);

/** The invoice command of a given type. */
export type InvoiceCommandOf<Type extends InvoiceCommand['type']> = Extract<InvoiceCommand, { type: Type }>;
