import { defineApi } from '../http/index.js';
import { DeliveryView } from './webhook.dto.js';
import { WebhooksApiModule } from './webhooks.api.module.js';

export default defineApi({
  module: WebhooksApiModule,
  tags: [
    {
      name: 'Webhooks',
      group: 'operation',
      description: 'The addresses to which events are sent, and the result of each delivery.',
    },
  ],
  customerData: { webhookDeliveries: DeliveryView },
});
