import { defineApi } from '../http/index.js';
import { BillingApiModule } from './billing.api.module.js';

export default defineApi({
  module: BillingApiModule,
  tags: [
    {
      name: 'Billing',
      group: 'invoices',
      description: 'The settings for when and how invoices are made, and the runs that make them.',
    },
  ],
});
