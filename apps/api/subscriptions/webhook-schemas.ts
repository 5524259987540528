import { fieldSchemas, type WebhookSchemas } from '../http/index.js';
import { SubscriptionView, UpcomingInvoiceView } from './subscription.dto.js';

const { text, instant, wholeNumber: whole } = fieldSchemas;

/** The OpenAPI schemas of the webhook events about subscriptions. */
export const subscriptionWebhooks: WebhookSchemas = {
  resources: { subscription: SubscriptionView },
  additionalFields: {
    'subscription.plan_change': {
      previousPlanId: text('The id of the plan before the change.', 'plan_01JD0000000000000000000000'),
      previousPlanVersion: whole('The version of the plan before the change.', 1),
      changedAt: instant('The time when the plan changed.'),
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
