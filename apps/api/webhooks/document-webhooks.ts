import { EXAMPLE_EVENTS, exampleOf, type ExampleEvent } from '#libs/webhooks';
import { CustomerView } from '../customers/customer.dto.js';
import { documentWebhook } from '../http/index.js';
import { InvoiceView } from '../invoices/invoice.dto.js';
import { PriceMigrationSummaryView } from '../price-migrations/price-migration.dto.js';
import { SubscriptionView, UpcomingInvoiceView } from '../subscriptions/subscription.dto.js';
import { UnmatchedWarningView } from '../usage/usage-event.dto.js';

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const OPTIONAL_TEXT: Schema = { type: 'string', nullable: true };
const INSTANT: Schema = { type: 'string', format: 'date-time' };
const creditNote = { id: TEXT, number: TEXT, amount: { type: 'number' } };

/** What `data` is, by what stands before the dot of the event's name. */
const RESOURCES: Readonly<Record<string, { name: string }>> = {
  invoice: InvoiceView,
  subscription: SubscriptionView,
  customer: CustomerView,
  price_migration: PriceMigrationSummaryView,
};

/** What an event says beside the resource. */
const BESIDE: Partial<Record<ExampleEvent, Readonly<Record<string, Schema>>>> = {
  'invoice.voided': { reason: OPTIONAL_TEXT },
  'invoice.credit_note': { creditNote: objectOf({ ...creditNote, reason: TEXT }) },
  'invoice.credit_note_voided': {
    creditNote: objectOf({ ...creditNote, status: TEXT, voidedAt: INSTANT, voidReason: OPTIONAL_TEXT }),
  },
  'invoice.payment_failed': {
    attempt: { type: 'integer' },
    failure: objectOf({ code: TEXT, message: TEXT }),
  },
  'invoice.payment_action_required': { message: TEXT },
  'subscription.plan_change': {
    previousPlanId: TEXT,
    previousPlanVersion: { type: 'integer' },
    changedAt: INSTANT,
  },
  'subscription.resumed': { resumedAt: INSTANT },
  'subscription.past_due': { invoiceId: TEXT },
  'subscription.cancel': { reason: TEXT },
};

/** What `data` is of events that are not about the resource they are named after. */
const OF_THEIR_OWN: Partial<Record<ExampleEvent, Schema>> = {
  'customer.deleted': objectOf({ id: TEXT, deleted: { type: 'boolean', enum: [true] } }),
  'invoice.upcoming': { $ref: `#/components/schemas/${UpcomingInvoiceView.name}` },
  'usage.unmatched': objectOf({
    count: { type: 'integer' },
    since: INSTANT,
    until: INSTANT,
    warnings: { type: 'array', items: { $ref: `#/components/schemas/${UnmatchedWarningView.name}` } },
  }),
};

/** Puts every event that is sent into the OpenAPI document, with its schema and an example. */
export function documentWebhooks(): void {
  for (const event of EXAMPLE_EVENTS) documentWebhook(event, operationOf(event));
}

function operationOf(event: ExampleEvent): object {
  const envelope = {
    id: 'evt_01JD0000000000000000000000',
    event,
    timestamp: '2026-02-01T00:00:00.000Z',
    // Plain numbers: the document is written as YAML too.
    data: JSON.parse(JSON.stringify(exampleOf(event))) as object,
  };
  const schema = objectOf({
    id: { ...TEXT, description: 'The same at every attempt: take it once.' },
    event: { ...TEXT, enum: [event] },
    timestamp: { ...INSTANT, description: "The workspace's time when it happened." },
    data: dataOf(event),
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
  const own = OF_THEIR_OWN[event];
  if (own) return own;
  const resource = { $ref: `#/components/schemas/${RESOURCES[event.split('.')[0]!]!.name}` };
  const beside = BESIDE[event];
  return beside ? { allOf: [resource, objectOf(beside)] } : resource;
}

function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: Object.keys(properties), properties };
}
