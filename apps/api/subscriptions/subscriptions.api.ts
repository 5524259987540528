import { defineApi } from '../http/index.js';
import { ExportedAmendmentView } from './amendment.dto.js';
import { SubscriptionHistoryEntryView, SubscriptionView } from './subscription.dto.js';
import { SubscriptionsApiModule } from './subscriptions.api.module.js';
import { subscriptionWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: SubscriptionsApiModule,
  tags: [
    {
      name: 'Subscriptions',
      group: 'subscriptions',
      description:
        'A subscription puts a customer on a plan. A subscription can be changed, paused and canceled.',
    },
  ],
  webhooks: subscriptionWebhooks,
  customerData: {
    subscriptions: SubscriptionView,
    amendments: ExportedAmendmentView,
    subscriptionHistory: SubscriptionHistoryEntryView,
  },
});
