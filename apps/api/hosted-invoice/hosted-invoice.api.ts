import { defineApi } from '../http/index.js';
import { HostedInvoiceApiModule } from './hosted-invoice.api.module.js';

export default defineApi({
  module: HostedInvoiceApiModule,
  tags: [
    {
      name: 'Hosted invoice',
      group: 'invoices',
      description:
        'The pages where customers view and pay an invoice. The token in the URL is the credential.',
    },
  ],
});
