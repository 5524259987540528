import { defineApi } from '../http/index.js';
import { CustomerView, HistoryEntryView } from './customer.dto.js';
import { CustomersApiModule } from './customers.api.module.js';
import { ErasureView } from './erasure.dto.js';
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
  customerData: { customer: CustomerView, customerHistory: HistoryEntryView, erasures: ErasureView },
});
