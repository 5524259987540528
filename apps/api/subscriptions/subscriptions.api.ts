import { defineApi } from '../http/index.js';
import { SubscriptionsApiModule } from './subscriptions.api.module.js';
import { subscriptionWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: SubscriptionsApiModule,
  tags: [
    {
      name: 'Subscriptions',
      group: 'subscriptions',
      description: 'A subscription puts a customer on a plan. It can be changed, paused and canceled.',
    },
  ],
  webhooks: subscriptionWebhooks,
});
