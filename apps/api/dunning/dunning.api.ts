import { defineApi } from '../http/index.js';
import { DunningApiModule } from './dunning.api.module.js';
import { DunningProcessView } from './dunning.dto.js';
import { dunningWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: DunningApiModule,
  tags: [
    {
      name: 'Dunning',
      group: 'invoices',
      description: 'Reminders of overdue invoices: the dunning policy, and the reminders that were sent.',
    },
  ],
  webhooks: dunningWebhooks,
  customerData: { dunningProcesses: DunningProcessView },
});
