import { fieldSchemas, objectSchema, type WebhookSchemas } from '../http/index.js';
import { InvoiceView } from './invoice.dto.js';

const { text, textOrNull, instant, instantOrNull, wholeNumber: whole } = fieldSchemas;

const creditNote = {
  id: text('The id of the credit note.', 'cn_01JD0000000000000000000000'),
  number: text('The number that is printed on the credit note.', 'CN-000007'),
  amount: { type: 'number', description: 'The total of the credit note, with taxes.', example: 5 },
};

const dispute = objectSchema(
  {
    id: text('The id of the dispute at the payment processor.', 'du_1PexampleDispute'),
    attemptId: text('The payment attempt that is disputed.', 'pay_01JD0000000000000000000000'),
    amount: { type: 'number', description: 'The disputed amount.', example: 5 },
    reason: text('The reason for the dispute, in the words of the payment processor.', 'fraudulent'),
    status: text('The status of the dispute, in the words of the payment processor.', 'needs_response'),
  },
  'The dispute.',
);

const payment = {
  id: text('The id of the payment.', 'rpay_01JD0000000000000000000000'),
  method: text('How the customer paid.', 'bank_transfer'),
  amount: { type: 'number', description: 'The amount that was received.', example: 23.75 },
  balanceCredited: {
    type: 'number',
    description: "The part of the payment above the amount due, which goes to the customer's balance.",
    example: 0,
  },
};

/** The OpenAPI schemas of the webhook events about invoices. */
export const invoiceWebhooks: WebhookSchemas = {
  resources: { invoice: InvoiceView },
  additionalFields: {
    'invoice.voided': { reason: textOrNull('The reason for voiding.', 'A mistake') },
    'invoice.credit_note': {
      creditNote: objectSchema(
        { ...creditNote, reason: text('The reason for the credit note.', 'service_issue') },
        'The credit note that was issued.',
      ),
    },
    'invoice.credit_note_voided': {
      creditNote: objectSchema(
        {
          ...creditNote,
          status: text('The present status of the credit note.', 'void'),
          voidedAt: instant('The time of voiding.'),
          voidReason: textOrNull('The reason for voiding.', 'A mistake'),
        },
        'The credit note that was voided.',
      ),
    },
    'invoice.payment_failed': {
      attempt: whole('The number of the attempt, from 1.', 1),
      failure: objectSchema(
        {
          code: text('The reason as a code for programs.', 'card_declined'),
          message: text('The reason as a text for people.', 'The card was declined'),
        },
        'The reason why the charge failed.',
      ),
      nextAttemptAt: instantOrNull('The time of the planned retry. Null if none is planned.'),
      retriesEnded: textOrNull(
        'Why no further retry is planned. Null if a retry is planned, and if failed payments of this invoice are not retried.',
        'exhausted',
      ),
    },
    'invoice.payment_recovered': { attempt: whole('The number of the attempt that succeeded, from 1.', 2) },
    'invoice.payment_disputed': { dispute },
    'invoice.payment_dispute_closed': { dispute },
    'invoice.gateway_refund_found': {
      refund: objectSchema(
        {
          id: text('The id of the refund at the payment processor.', 're_1PexampleRefund'),
          attemptId: text('The payment attempt that was refunded.', 'pay_01JD0000000000000000000000'),
          amount: { type: 'number', description: 'The refunded amount.', example: 5 },
        },
        'The refund that was made at the payment processor itself.',
      ),
    },
    'invoice.refund_failed': {
      refund: objectSchema(
        {
          id: textOrNull(
            'The id of the refund at the payment processor. Null if the payment processor refused the refund.',
            're_1PexampleRefund',
          ),
          amount: {
            type: 'number',
            description: 'The amount of the refund that the customer did not get.',
            example: 5,
          },
          status: text(
            '`refused`: the payment processor refused the refund. `failed`: the refund failed after the payment processor had accepted ' +
              'it.',
            'failed',
          ),
          failure: text(
            'The reason as a text for people.',
            'Stripe could not complete the refund: expired_or_canceled_card',
          ),
          creditNoteId: textOrNull(
            'The id of the credit note that caused the refund. Null if no credit note caused it.',
            'cn_01JD0000000000000000000000',
          ),
          byInvoiceId: textOrNull(
            'The id of the later invoice that caused the refund. Null if no later invoice caused it.',
            'inv_01JD0000000000000000000000',
          ),
        },
        'The refund that gave the customer no money.',
      ),
    },
    'invoice.payment_recorded': {
      payment: objectSchema(
        { ...payment, paidAt: instant('The time when the customer paid, as it was recorded.') },
        'The payment that was recorded.',
      ),
    },
    'invoice.payment_reversed': {
      payment: objectSchema(
        {
          ...payment,
          reversedAt: instant('The time of the reversal.'),
          reversalReason: text('The reason for the reversal.', 'The cheque bounced'),
        },
        'The payment that was reversed.',
      ),
    },
    'invoice.payment_action_required': {
      message: text('What the customer must do.', 'The bank wants the payment to be confirmed'),
    },
  },
  wholeData: {},
};
