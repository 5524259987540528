import { EXAMPLE_EVENTS, exampleOf, TEST_EVENT, type ExampleEvent } from '#libs/outputs/webhooks';
import { CustomerView } from '../customers/customer.dto.js';
import { documentWebhook, type Operation, type Schema } from '../http/index.js';
import { InvoiceView } from '../invoices/invoice.dto.js';
import { PriceMigrationSummaryView } from '../price-migrations/price-migration.dto.js';
import { SubscriptionView, UpcomingInvoiceView } from '../subscriptions/subscription.dto.js';
import { UnmatchedWarningView } from '../usage/usage-event.dto.js';

const text = (description: string, example: string): Schema => ({ type: 'string', description, example });
const textOrNull = (description: string, example: string): Schema => ({
  ...text(description, example),
  type: ['string', 'null'],
});
const instant = (description: string): Schema => ({
  type: 'string',
  format: 'date-time',
  description,
  example: '2026-02-01T00:00:00.000Z',
});
const whole = (description: string, example: number): Schema => ({ type: 'integer', description, example });

const creditNote = {
  id: text('The id of the credit note.', 'cn_01JD0000000000000000000000'),
  number: text('The number that is printed on it.', 'CN-000007'),
  amount: { type: 'number', description: 'Its total, with taxes.', example: 5 },
};

/** What `data` is, by what stands before the dot of the event's name. */
const RESOURCES: Readonly<Record<string, { name: string }>> = {
  invoice: InvoiceView,
  subscription: SubscriptionView,
  customer: CustomerView,
  price_migration: PriceMigrationSummaryView,
};

/** What an event says beside the resource. */
const BESIDE: Partial<Record<ExampleEvent, Readonly<Record<string, Schema>>>> = {
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
  'subscription.plan_change': {
    previousPlanId: text('The plan before.', 'plan_01JD0000000000000000000000'),
    previousPlanVersion: whole('Its version.', 1),
    changedAt: instant('When it changed.'),
  },
  'subscription.resumed': { resumedAt: instant('When it went on.') },
  'subscription.past_due': {
    invoiceId: text('The invoice whose charge failed.', 'inv_01JD0000000000000000000000'),
  },
  'subscription.cancel': { reason: text('Why it ended.', 'requested') },
};

/** What `data` is of events that are not about the resource they are named after. */
const OF_THEIR_OWN: Partial<Record<ExampleEvent, Schema>> = {
  'customer.deleted': objectOf({
    id: text('The id of the customer.', 'cust_northwind'),
    deleted: { type: 'boolean', const: true, description: 'That it is gone.', example: true },
  }),
  'invoice.upcoming': { $ref: `#/components/schemas/${UpcomingInvoiceView.name}` },
  'usage.unmatched': objectOf({
    count: whole('How many events are not counted.', 17),
    since: instant('When the first of them was stored.'),
    until: instant('When the last of them was stored.'),
    warnings: {
      type: 'array',
      description: 'Why, by event name.',
      items: { $ref: `#/components/schemas/${UnmatchedWarningView.name}` },
    },
  }),
};

const TEST_EXAMPLE = {
  id: 'wh_01JD0000000000000000000000',
  message: 'This is a test. The endpoint works if it answers with 2xx.',
};
/** What `data` is of the event that `POST /v1/webhooks/{id}/test` sends. */
const TEST = {
  id: text('The id of the webhook.', TEST_EXAMPLE.id),
  message: text('What it is for, for people.', TEST_EXAMPLE.message),
};

/** Puts every event that is sent into the OpenAPI document, with its schema and an example. */
export function documentWebhooks(): void {
  for (const event of EXAMPLE_EVENTS)
    // Plain numbers: the document is written as YAML too.
    documentWebhook(
      event,
      operationOf(event, dataOf(event), JSON.parse(JSON.stringify(exampleOf(event))) as object),
    );
  documentWebhook(
    TEST_EVENT,
    operationOf(TEST_EVENT, objectOf(TEST, 'Of which webhook it is a test.'), TEST_EXAMPLE),
  );
}

function operationOf(event: string, data: Schema, example: object): Operation {
  const envelope = {
    id: 'evt_01JD0000000000000000000000',
    event,
    timestamp: '2026-02-01T00:00:00.000Z',
    data: example,
  };
  const schema = objectOf({
    id: text('The same at every attempt: take it once.', envelope.id),
    event: { type: 'string', const: event, description: 'What happened.', example: event },
    timestamp: instant("The workspace's time when it happened."),
    data,
  });
  return {
    operationId: event,
    summary: `Sent as ${event}`,
    tags: ['Webhooks'],
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema, example: envelope } } },
    responses: {
      '2XX': { description: 'The event was taken. Any other answer, or none within 8 s, is retried.' },
    },
  };
}

function dataOf(event: ExampleEvent): Schema {
  const description = 'What it is about, as it was right after.';
  const own = OF_THEIR_OWN[event];
  if (own) return { ...own, description };
  const resource = { $ref: `#/components/schemas/${RESOURCES[event.split('.')[0]!]!.name}` };
  const beside = BESIDE[event];
  return beside ? { description, allOf: [resource, objectOf(beside)] } : { ...resource, description };
}

function objectOf(properties: Readonly<Record<string, Schema>>, description?: string): Schema {
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    required: Object.keys(properties),
    properties: { ...properties },
  };
}
