import { defineApi } from '../http/index.js';
import { InvoicesApiModule } from './invoices.api.module.js';
import { invoiceWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: InvoicesApiModule,
  tags: [
    {
      name: 'Invoices',
      group: 'invoices',
      description: 'Invoices, with their payments, documents and credit notes.',
    },
  ],
  webhooks: invoiceWebhooks,
});
