import type { DecimalString, Instant } from '#libs/kernel/core';
import type { ChargeOutcome } from '#libs/contexts/payments';
import type { CreditNoteRequest } from '../credit-notes/decide-credit-note.js';
import type { ChargedMethod, InvoiceDetails, Opening, RecomputedAmounts } from '../events.js';
import type { GiveBack } from '../give-backs/give-back.js';

export type InvoiceCommand = { at: Instant; invoiceId: string } & (
  | { type: 'CreateInvoice'; details: InvoiceDetails }
  | { type: 'RecomputeDraft'; amounts: RecomputedAmounts }
  /** `opening` is for a draft, and `null` for what was none when it was looked at. */
  | { type: 'OpenInvoice'; opening: Opening | null }
  /** Opens a draft too. `method` is `null` for an invoice over nothing. */
  | { type: 'StartPayment'; attemptId: string; method: ChargedMethod | null; opening: Opening | null }
  | { type: 'ConfirmPayment' }
  | { type: 'CompletePayment'; attemptId: string; outcome: ChargeOutcome }
  | ({ type: 'IssueCreditNote' } & CreditNoteRequest)
  | { type: 'NumberCreditNote'; creditNoteId: string; number: string }
  | { type: 'CompleteRefund'; creditNoteId: string }
  /** What it gave the customer's balance has been taken out of that before. */
  | { type: 'VoidCreditNote'; creditNoteId: string; reason: string | null }
  /** What a later invoice gives back of this one. */
  | ({ type: 'GiveBackLines' } & GiveBack)
  /** That invoice was voided, or was not made. */
  | { type: 'ReturnGiveBack'; byInvoiceId: string }
  /** Takes at most `amount` of what it gave back off what is to be paid. */
  | { type: 'ApplyGiveBack'; byInvoiceId: string; amount: DecimalString }
  /** Refunds at most `amount` of what it gave back from what was paid of this one. */
  | { type: 'RefundPayment'; byInvoiceId: string; amount: DecimalString }
  /** The payment gateway has that. */
  | { type: 'CompletePaymentRefund'; byInvoiceId: string }
  | { type: 'MarkUncollectible' }
  | { type: 'VoidInvoice'; reason: string | null }
);

/** The command of that type. */
export type Of<Type extends InvoiceCommand['type']> = Extract<InvoiceCommand, { type: Type }>;
