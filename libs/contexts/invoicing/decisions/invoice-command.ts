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

/** The commands on an invoice. `at` is the workspace's time at which the invoice changes. */
export type InvoiceCommand = { at: Instant; invoiceId: string } & (
  | { type: 'CreateInvoice'; details: InvoiceDetails }
  | { type: 'RecomputeDraft'; amounts: RecomputedAmounts }
  /** `opening` is required if the invoice is a draft. `opening` is `null` if the invoice was not a draft when the command was created. */
  | { type: 'OpenInvoice'; opening: InvoiceOpening | null }
  /** The command `StartPayment` also opens a draft. `method` is `null` for an invoice with nothing to pay. */
  | {
      type: 'StartPayment';
      attemptId: string;
      method: ChargedPaymentMethod | null;
      opening: InvoiceOpening | null;
      /** The failed attempt after which this retry was planned. Absent if the payment is not a planned retry. */
      retryAfter?: string;
      /**
       * The newest payment attempt that the caller knew when it decided to charge, or null if it knew none. If another attempt was made
       * after `newestAttempt`, the payment is refused.
       */
      newestAttempt?: string | null;
      /** The amount that the payer was shown. If the amount to pay is another one, the payment is refused. */
      shownAmount?: DecimalString;
      /** True if `method` was chosen for this payment in place of the default payment method. */
      chosenMethod?: true;
    }
  | { type: 'ConfirmPayment' }
  /** `retryRules` are null if failed payments are not retried. */
  | { type: 'CompletePayment'; attemptId: string; outcome: ChargeOutcome; retryRules: RetryRules | null }
  /** Records that a planned retry is due but cannot be made: the payment method, the customer or the payment gateway is missing. */
  | { type: 'SkipPaymentRetry'; afterAttemptId: string; retryRules: RetryRules | null }
  /** Ends the retries that were planned after an attempt, if the invoice is still unpaid. */
  | { type: 'EndPaymentRetries'; afterAttemptId: string }
  | ({ type: 'RecordPayment' } & PaymentToRecord)
  /**
   * Starts a payment from the customer's balance. `available` is the amount in the balance. If `amount` is null, the balance pays as much
   * as it can.
   */
  | { type: 'StartBalancePayment'; paymentId: string; amount: DecimalString | null; available: DecimalString }
  /**
   * Starts to carry the amount due of an open invoice to the next invoice: the balance pays it, and can go below zero. `amount` is the amount
   * due that was found too small for a charge. If another amount is due, the command is refused.
   */
  | { type: 'CarryForward'; paymentId: string; amount: DecimalString }
  /** Records whether the balance paid the amount of a started payment. */
  | { type: 'CompleteBalancePayment'; paymentId: string; succeeded: boolean }
  /**
   * Reverses a recorded payment. The part of the payment that went to the customer's balance must already be removed from the balance. A
   * second reversal is an error with `mustBeFirst`, and changes nothing without it.
   */
  | { type: 'ReversePayment'; paymentId: string; reason: string; mustBeFirst?: true }
  | ({ type: 'IssueCreditNote' } & CreditNoteRequest)
  | { type: 'NumberCreditNote'; creditNoteId: string; number: string }
  | { type: 'CompleteRefund'; creditNoteId: string }
  /** Records that the payment gateway permanently refused the refund of a credit note. `message` is the gateway's message. */
  | { type: 'RefuseRefund'; creditNoteId: string; message: string }
  /** The amount of the credit note must already be removed from the customer's balance. */
  | { type: 'VoidCreditNote'; creditNoteId: string; reason: string | null }
  /** Records the lines of this invoice whose amounts a later invoice gives back. */
  | ({ type: 'GiveBackLines' } & GiveBack)
  /** Undoes the give-back of the later invoice `byInvoiceId`, because the later invoice was voided, or was not created. */
  | { type: 'UndoGiveBack'; byInvoiceId: string }
  /** Reduces the amount due by the give-back of the later invoice `byInvoiceId`. `amount` is the maximum reduction. */
  | { type: 'ReduceByGiveBack'; byInvoiceId: string; amount: DecimalString }
  /**
   * Starts a refund from the card payment of this paid invoice. The refund is a part of what the later invoice `byInvoiceId` gave back
   * beyond its own charges. `amount` is the maximum refund.
   */
  | { type: 'RefundPayment'; byInvoiceId: string; amount: DecimalString }
  /** Records that the payment gateway has accepted the refund for the later invoice. */
  | { type: 'CompletePaymentRefund'; byInvoiceId: string }
  /** Records that the payment gateway permanently refused the refund for the later invoice. `message` is the gateway's message. */
  | { type: 'RefusePaymentRefund'; byInvoiceId: string; message: string }
  /** Records a dispute of a payment, in its current state at the payment processor. */
  | { type: 'RecordDispute'; dispute: DisputeReport }
  /** Records the refunds of a payment that were made at the payment processor itself. */
  | {
      type: 'RecordGatewayRefunds';
      attemptId: string;
      refunds: readonly { refundId: string; amount: DecimalString; failure?: string }[];
    }
  /** Records that `total` of the money of a refund or a dispute was taken off the customer's balance, since it had been there already. */
  | { type: 'RecordTakenBack'; returnId: string; total: DecimalString }
  /**
   * Records that a refund failed after the payment gateway had accepted it. `refundKey` is the idempotency key of the refund request.
   * `refundKey` is null if the refunded charge was not needed by the invoice. `refundId` is the payment processor's id of the refund.
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
