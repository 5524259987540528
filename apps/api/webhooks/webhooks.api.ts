import { defineApi } from '../http/index.js';
import { WebhooksApiModule } from './webhooks.api.module.js';

export default defineApi({
  module: WebhooksApiModule,
  tags: [
    {
      name: 'Webhooks',
      group: 'operation',
      description: 'Where events are sent, and what came of each delivery.',
    },
  ],
});
