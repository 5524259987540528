import { fields, type WebhookSchemas } from '../http/index.js';
import { SubscriptionView, UpcomingInvoiceView } from './subscription.dto.js';

const { text, instant, whole } = fields;

/** How the OpenAPI document describes what webhooks send. */
export const webhooks: WebhookSchemas = {
  resources: { subscription: SubscriptionView },
  beside: {
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
  },
  own: {
    'invoice.upcoming': { $ref: `#/components/schemas/${UpcomingInvoiceView.name}` },
  },
};
