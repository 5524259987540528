import { presentUpcoming, type InvoicePreview } from '#libs/contexts/billing';
import type { CustomerEvent } from '#libs/contexts/customers';
import type { DomainEvent } from '#libs/kernel/domain';
import { BILLING_DEFAULTS, type InvoiceEvent } from '#libs/contexts/invoicing';
import type { PriceMigrationEvent } from '#libs/contexts/price-migrations';
import type { InvoiceLine, PriceSnapshot } from '#libs/rating';
import type { SubscriptionEvent } from '#libs/contexts/subscriptions';
import type { UnmatchedUsageEvent } from '#libs/contexts/unmatched-usage';
import type { PublicEvent } from './names.js';
import { beside, presentAfter } from './resources.js';
import { publicEventOf, type PublishableEvent } from './public-event-of.js';

const at = '2026-02-01T00:00:00.000Z';
const period = { index: 0, start: '2026-01-01T00:00:00.000Z', end: at };
const customerId = 'cust_01JD00000000000000EXAMPLE1';
const subscriptionId = 'sub_01JD00000000000000EXAMPLE2';
const invoiceId = 'inv_01JD00000000000000EXAMPLE3';
const migrationId = 'mig_01JD00000000000000EXAMPLE4';
const plan = { planId: 'plan_01JD00000000000000EXAMPLE5', planVersion: 1, planName: 'Pro' };
const nextPlan = { planId: 'plan_01JD00000000000000EXAMPLE6', planVersion: 1, planName: 'Business' };
const price: PriceSnapshot = {
  priceId: 'price_01JD00000000000000EXAMPLE7',
  version: 1,
  name: 'Platform fee',
  config: { model: 'flat', amount: '20', currency: 'USD' },
  cadence: 'monthly',
  timing: 'in_arrears',
  metricId: null,
};
const method = {
  paymentMethodId: 'pm_01JD00000000000000EXAMPLE8',
  type: 'test',
  test: 'pm_card_visa',
  label: 'Visa ending 4242',
} as const;
const run = { runId: 'run_01JD00000000000000EXAMPLE9', trigger: 'schedule' } as const;

const ofInvoice = { invoiceId, customerId, currency: 'USD', total: '23.75', at };
const attemptId = 'pay_01JD0000000000000EXAMPLE10';
const charge = { ...ofInvoice, attemptId, attempt: 1 };
const line = {
  priceVersion: 1,
  periodStart: period.start,
  periodEnd: period.end,
};
const lines: InvoiceLine[] = [
  {
    ...line,
    ...{ id: 'line_01JD0000000000000EXAMPLE11', type: 'usage', description: 'API units' },
    ...{ priceId: 'price_01JD0000000000000EXAMPLE12', quantity: '1500' },
    ...{ unitPrice: '0.0025', amount: '3.75' },
  },
  {
    ...line,
    ...{ id: 'line_01JD0000000000000EXAMPLE13', type: 'flat', description: price.name },
    ...{ priceId: price.priceId, quantity: '1', amount: '20.00' },
  },
];
const upcoming: InvoicePreview = {
  ...{ subscriptionId, customerId, currency: 'USD', lines, discounts: [], taxes: [] },
  ...{ subtotal: '23.75', total: '23.75', balanceCredited: '0.00' },
  ...{ balanceApplied: '0.00', amountDue: '23.75' },
  ...{ periodStart: period.start, periodEnd: period.end, billedAt: at },
};
const issued: InvoiceEvent[] = [
  {
    type: 'InvoiceCreated',
    data: {
      ...ofInvoice,
      ...{ subscriptionId, kind: 'cycle', periodStart: period.start, periodEnd: period.end, billedAt: at },
      ...{ billToName: 'Northwind Ltd', billToEmail: 'ap@northwind.example', timezone: 'UTC' },
      lines,
      settings: BILLING_DEFAULTS,
    },
  },
  {
    type: 'InvoiceOpened',
    data: {
      ...ofInvoice,
      ...{ kind: 'cycle', number: 'INV-000042', sellerName: 'Contoso', dueDate: '2026-03-03T00:00:00.000Z' },
    },
  },
];
const charged: InvoiceEvent[] = [
  ...issued,
  { type: 'PaymentStarted', data: { ...charge, amount: '23.75', method } },
];
const declined: InvoiceEvent[] = [
  ...charged,
  {
    type: 'PaymentFailed',
    data: { ...charge, code: 'card_declined', message: 'The card was declined' },
  },
];
const paid: InvoiceEvent[] = [
  ...charged,
  { type: 'PaymentSucceeded', data: { ...charge, amount: '23.75' } },
  { type: 'InvoicePaid', data: { ...ofInvoice, attemptId } },
];
const note = { creditNoteId: 'cn_01JD0000000000000EXAMPLE14', number: 'CN-000007', amount: '5.00' };
const credited: InvoiceEvent[] = [
  ...paid,
  {
    type: 'CreditNoteIssued',
    data: {
      ...ofInvoice,
      note: {
        ...{ creditNoteId: note.creditNoteId, issuedAt: at, reason: 'service_issue', memo: null },
        ...{ lines: [], discount: '0.00', taxes: [], total: note.amount },
        ...{ unpaid: '0.00', toBalance: note.amount, refunded: '0.00' },
      },
    },
  },
  { type: 'CreditNoteNumbered', data: { ...ofInvoice, ...note, reason: 'service_issue' } },
];

const ofSubscription = { subscriptionId, customerId };
const terms = {
  anchor: period.start,
  billingInterval: 'monthly' as const,
  items: [{ price, quantity: '1', since: period.start }],
};
const subscribed: SubscriptionEvent[] = [
  {
    type: 'SubscriptionCreated',
    data: {
      ...ofSubscription,
      ...plan,
      ...terms,
      ...{ currency: 'USD', timezone: 'UTC', anchorDay: null, startedAt: period.start, trialEnd: null },
      ...{ createdAt: period.start, metadata: {}, phase: 'active', period, bill: null },
    },
  },
];
const [{ data: agreement }] = subscribed as [Extract<SubscriptionEvent, { type: 'SubscriptionCreated' }>];
const onTrial: SubscriptionEvent[] = [
  {
    type: 'SubscriptionCreated',
    data: { ...agreement, phase: 'trialing', trialEnd: period.end, anchor: period.end },
  },
];
const paused: SubscriptionEvent[] = [
  ...subscribed,
  { type: 'SubscriptionPaused', data: { ...ofSubscription, at, resumeAt: null, bill: null, run: null } },
];

const existing: CustomerEvent[] = [
  {
    type: 'CustomerCreated',
    data: {
      ...{ customerId, createdAt: period.start, name: 'Northwind Ltd', email: 'ap@northwind.example' },
      ...{ billingEmail: null, currency: 'USD', timezone: 'UTC', language: null, externalId: 'crm-4711' },
      ...{ address: null, taxId: null, taxRateIds: null, taxExemptReason: null, taxExemptType: 'exempt' },
      metadata: {},
    },
  },
];

const scheduled: PriceMigrationEvent[] = [
  {
    type: 'PriceMigrationScheduled',
    data: {
      ...{ migrationId, at: period.start, name: 'New prices', fromPlanId: plan.planId },
      ...{ toPlanId: nextPlan.planId, effectiveAt: at, customerIds: null },
      scheduledBy: { type: 'user', id: 'usr_01JD0000000000000EXAMPLE15' },
    },
  },
];
const started: PriceMigrationEvent[] = [
  ...scheduled,
  { type: 'PriceMigrationStarted', data: { migrationId, at } },
];

const unmatched: UnmatchedUsageEvent[] = [
  {
    type: 'UnmatchedUsageReported',
    data: {
      ...{ count: 3, since: period.start, until: at, reportedAt: at },
      warnings: [
        {
          ...{
            code: 'no_metric',
            eventName: 'api_cal',
            count: 3,
            eventIds: ['use_01JD0000000000000EXAMPLE17'],
          },
          reason:
            'No metric has the event name "api_cal"; a metric that has it counts these events too, whenever it is made',
        },
      ],
    },
  },
];

/** The events that lead to each public event, the last of which is told. */
const STORIES = {
  'invoice.created': issued,
  'invoice.paid': paid,
  'invoice.voided': [
    ...issued,
    { type: 'InvoiceVoided', data: { ...ofInvoice, number: 'INV-000042', reason: 'Issued by mistake' } },
  ],
  'invoice.credit_note': credited,
  'invoice.credit_note_voided': [
    ...credited,
    { type: 'CreditNoteVoided', data: { ...ofInvoice, ...note, reason: null } },
  ],
  'invoice.payment_failed': declined,
  'invoice.payment_action_required': [
    ...charged,
    {
      type: 'PaymentActionRequired',
      data: { ...ofInvoice, attemptId, message: 'Confirm the payment' },
    },
  ],
  'invoice.marked_uncollectible': [
    ...declined,
    { type: 'InvoiceMarkedUncollectible', data: { ...ofInvoice, amount: '23.75' } },
  ],
  'invoice.due_soon': issued,
  'invoice.overdue': issued,
  'subscription.created': subscribed,
  'subscription.cancel': [
    ...subscribed,
    {
      type: 'SubscriptionCanceled',
      data: { ...ofSubscription, at, reason: 'requested', bill: null, run: null },
    },
  ],
  'subscription.plan_change': [
    ...subscribed,
    {
      type: 'SubscriptionAmended',
      data: {
        ...ofSubscription,
        ...{ amendmentId: 'amd_01JD0000000000000EXAMPLE16', kind: 'amend', prorate: true },
        change: { plan: null, addPrices: [], removePrices: [], quantities: {} },
        ...nextPlan,
        ...terms,
        ...{ at, from: { planId: plan.planId, planVersion: plan.planVersion }, currency: 'USD' },
        ...{ period, bill: null, run: null },
      },
    },
  ],
  'subscription.paused': paused,
  'subscription.resumed': [
    ...paused,
    {
      type: 'SubscriptionResumed',
      data: {
        ...ofSubscription,
        ...{ at, phase: 'active', anchor: at, trialEnd: null, bill: null, run },
        period: { index: 0, start: at, end: '2026-03-01T00:00:00.000Z' },
      },
    },
  ],
  'subscription.past_due': [
    ...subscribed,
    { type: 'SubscriptionPaymentFailed', data: { ...ofSubscription, invoiceId } },
  ],
  'subscription.trial_ending': onTrial,
  'customer.created': existing,
  'customer.updated': [
    ...existing,
    { type: 'CustomerUpdated', data: { customerId, billingEmail: 'billing@northwind.example' } },
  ],
  'customer.deleted': [...existing, { type: 'CustomerDeleted', data: { customerId } }],
  'price_migration.scheduled': scheduled,
  'price_migration.started': started,
  'price_migration.finished': [
    ...started,
    { type: 'PriceMigrationFinished', data: { migrationId, at, migrated: 120, skipped: 3, failed: 0 } },
  ],
  'price_migration.canceled': [
    ...scheduled,
    { type: 'PriceMigrationCanceled', data: { migrationId, at: period.start } },
  ],
  'usage.unmatched': unmatched,
} satisfies Partial<Record<PublicEvent, PublishableEvent[]>>;

/** Examples of what is worked out ahead, and in no event yet. */
const AHEAD = { 'invoice.upcoming': upcoming } satisfies Partial<Record<PublicEvent, InvoicePreview>>;

/** A public event that there is an example of: all that are sent. */
export type ExampleEvent = keyof typeof STORIES | keyof typeof AHEAD;

export const EXAMPLE_EVENTS = [...Object.keys(STORIES), ...Object.keys(AHEAD)] as ExampleEvent[];

/** What is sent as `data` of such an event: made of events as those of the workspace are, by the same code. */
export function exampleOf(event: ExampleEvent): object {
  if (isAhead(event)) return presentUpcoming(AHEAD[event]);
  const story: DomainEvent[] = STORIES[event];
  const { data } = publicEventOf(story.at(-1)!)!;
  const resource = event === 'customer.deleted' ? undefined : presentAfter(story);
  return resource ? beside(resource, data) : data;
}

export function isExampleEvent(name: string): name is ExampleEvent {
  return Object.hasOwn(STORIES, name) || Object.hasOwn(AHEAD, name);
}

function isAhead(name: ExampleEvent): name is keyof typeof AHEAD {
  return Object.hasOwn(AHEAD, name);
}
