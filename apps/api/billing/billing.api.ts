import { defineApi } from '../http/index.js';
import { BillingApiModule } from './billing.api.module.js';

export default defineApi({
  module: BillingApiModule,
  tags: [{ name: 'Billing', group: 'invoices', description: 'When and how invoices are made.' }],
});
