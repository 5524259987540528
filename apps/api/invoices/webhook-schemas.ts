import { fields, objectOf, type WebhookSchemas } from '../http/index.js';
import { InvoiceView } from './invoice.dto.js';

const { text, textOrNull, instant, whole } = fields;

const creditNote = {
  id: text('The id of the credit note.', 'cn_01JD0000000000000000000000'),
  number: text('The number that is printed on it.', 'CN-000007'),
  amount: { type: 'number', description: 'Its total, with taxes.', example: 5 },
};

/** How the OpenAPI document describes what webhooks send. */
export const webhooks: WebhookSchemas = {
  resources: { invoice: InvoiceView },
  beside: {
    'invoice.voided': { reason: textOrNull('Why it was voided.', 'A mistake') },
    'invoice.credit_note': {
      creditNote: objectOf(
        { ...creditNote, reason: text('Why it was issued.', 'service_issue') },
        'The credit note that was issued.',
      ),
    },
    'invoice.credit_note_voided': {
      creditNote: objectOf(
        {
          ...creditNote,
          status: text('What it is now.', 'void'),
          voidedAt: instant('When it was voided.'),
          voidReason: textOrNull('Why it was voided.', 'A mistake'),
        },
        'The credit note that was voided.',
      ),
    },
    'invoice.payment_failed': {
      attempt: whole('Which attempt it was, from 1.', 1),
      failure: objectOf(
        {
          code: text('Why, for programs.', 'card_declined'),
          message: text('Why, for people.', 'The card was declined'),
        },
        'Why the charge failed.',
      ),
    },
    'invoice.payment_action_required': {
      message: text('What the customer has to do.', 'The bank wants the payment to be confirmed'),
    },
  },
  own: {},
};
