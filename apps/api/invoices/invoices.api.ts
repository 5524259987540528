import { defineApi } from '../http/index.js';
import { CreditNoteView } from './credit-note.dto.js';
import { InvoiceView } from './invoice.dto.js';
import { InvoicesApiModule } from './invoices.api.module.js';
import { ExportedPaymentAttemptView } from './payment-attempt.dto.js';
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
  customerData: { invoices: InvoiceView, creditNotes: CreditNoteView, payments: ExportedPaymentAttemptView },
});
