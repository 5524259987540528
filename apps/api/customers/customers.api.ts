import { defineApi } from '../http/index.js';
import { CustomersApiModule } from './customers.api.module.js';
import { customerWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: CustomersApiModule,
  tags: [
    {
      name: 'Customers',
      group: 'customers',
      description: 'The customers of a workspace, and the balances that are owed to them.',
    },
  ],
  webhooks: customerWebhooks,
});
