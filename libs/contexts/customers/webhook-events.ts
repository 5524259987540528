import { EXAMPLE, type WebhookContent, type WebhookEvents } from '#libs/manifest';
import { customerDecider } from './customer.js';
import type { CustomerEvent } from './events.js';
import { presentCustomer } from './present.js';

const { customerId, periodStart } = EXAMPLE;
const existing: CustomerEvent[] = [
  {
    type: 'CustomerCreated',
    data: {
      customerId,
      at: periodStart,
      name: 'Northwind Ltd',
      email: 'ap@northwind.example',
      billingEmail: null,
      currency: 'USD',
      timezone: 'UTC',
      language: null,
      externalId: 'crm-4711',
      address: null,
      taxId: null,
      taxRateIds: null,
      taxExemptReason: null,
      taxExemptType: 'exempt',
      metadata: {},
    },
  },
];

/** The webhook events about customers. */
export const webhookEvents: WebhookEvents<CustomerEvent> = {
  names: ['customer.created', 'customer.updated', 'customer.deleted'],
  messages: {
    CustomerCreated: customerContent('customer.created'),
    CustomerUpdated: customerContent('customer.updated'),
    PaymentMethodAttached: customerContent('customer.updated'),
    PaymentMethodDetached: customerContent('customer.updated'),
    DefaultPaymentMethodChanged: customerContent('customer.updated'),
    CustomerDeleted: ({ customerId }) => ({
      event: 'customer.deleted',
      withoutResource: true,
      data: { id: customerId, deleted: true },
    }),
  },
  resources: [{ decider: customerDecider, present: presentCustomer }],
  examples: {
    'customer.created': existing,
    'customer.updated': [
      ...existing,
      { type: 'CustomerUpdated', data: { customerId, billingEmail: 'billing@northwind.example' } },
    ],
    'customer.deleted': [...existing, { type: 'CustomerDeleted', data: { customerId } }],
  },
};

/**
 * Returns a function that makes the content of a webhook event about a customer. The content is only the customer's id, without personal
 * data. The customer's form in the API is added when the event is sent.
 */
function customerContent(event: string): (data: { customerId: string }) => WebhookContent {
  return ({ customerId }) => ({ event, data: { id: customerId } });
}
