import { EXAMPLE, type WebhookEvents } from '#libs/manifest';
import type { ConsolidationEvent } from './consolidation/events.js';
import type { InvoicePreview } from './previews/bill-previewer.js';
import { presentInvoicePreview } from './previews/present-upcoming.js';
import type { BillingRunEvent } from './runs/events.js';

const { customerId, subscriptionId, periodStart, periodEnd, priceId } = EXAMPLE;

const upcoming: InvoicePreview = {
  subscriptionId,
  customerId,
  currency: 'USD',
  creditsUsed: [],
  discounts: [],
  taxes: [],
  subtotal: '23.75',
  total: '23.75',
  balanceCredited: '0.00',
  balanceApplied: '0.00',
  amountDue: '23.75',
  periodStart,
  periodEnd,
  billedAt: periodEnd,
  lines: [
    {
      id: 'line_01JD0000000000000EXAMPLE11',
      type: 'usage',
      description: 'API units',
      priceVersion: 1,
      priceId: 'price_01JD0000000000000EXAMPLE12',
      quantity: '1500',
      unitPrice: '0.0025',
      amount: '3.75',
      periodStart,
      periodEnd,
    },
    {
      id: 'line_01JD0000000000000EXAMPLE13',
      type: 'flat',
      description: 'Platform fee',
      priceVersion: 1,
      priceId,
      quantity: '1',
      amount: '20.00',
      periodStart,
      periodEnd,
    },
  ],
};

/**
 * No event causes the webhook `invoice.upcoming`, so `messages` is empty. The webhook `invoice.upcoming` is sent some days before a period
 * ends, with a preview of the invoice.
 */
export const webhookEvents: WebhookEvents<ConsolidationEvent | BillingRunEvent> = {
  names: ['invoice.upcoming'],
  messages: {},
  resources: [],
  examples: { 'invoice.upcoming': { data: presentInvoicePreview(upcoming) } },
};
