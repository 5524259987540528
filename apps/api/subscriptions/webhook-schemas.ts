import { fieldSchemas, type WebhookSchemas } from '../http/index.js';
import { SubscriptionView, UpcomingInvoiceView } from './subscription.dto.js';

const { text, instant, whole } = fieldSchemas;

/** The OpenAPI schemas of the webhook events about subscriptions. */
export const subscriptionWebhooks: WebhookSchemas = {
  resources: { subscription: SubscriptionView },
  additionalFields: {
    'subscription.plan_change': {
      previousPlanId: text('The plan before.', 'plan_01JD0000000000000000000000'),
      previousPlanVersion: whole('Its version.', 1),
      changedAt: instant('When it changed.'),
    },
    'subscription.resumed': { resumedAt: instant('The time when the subscription resumed.') },
    'subscription.past_due': {
      invoiceId: text('The invoice whose charge failed.', 'inv_01JD0000000000000000000000'),
    },
    'subscription.cancel': { reason: text('The reason why the subscription ended.', 'requested') },
  },
  wholeData: {
    'invoice.upcoming': { $ref: `#/components/schemas/${UpcomingInvoiceView.name}` },
  },
};
