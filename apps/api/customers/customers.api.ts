import { defineApi } from '../http/index.js';
import { CustomersApiModule } from './customers.api.module.js';
import { webhooks } from './webhook-schemas.js';

export default defineApi({
  module: CustomersApiModule,
  tags: [
    {
      name: 'Customers',
      group: 'customers',
      description: 'Whom a workspace bills, with what is owed to them.',
    },
  ],
  webhooks,
});
