import {
  amountPaid,
  amountToPay,
  invoiceDecider,
  plannedRetryAt,
  retryStateOf,
  subscriptionIdsOf,
  taxEntriesOf,
} from '#libs/contexts/invoicing';
import { snapshotProjection } from '#libs/kernel/projection';
import { InvoiceRow } from './invoice-row.js';

/** All invoices with their present state and payment attempts, for `GET /v1/invoices`. */
export const invoicesProjection = snapshotProjection({
  name: 'invoices',
  version: 13,
  entity: InvoiceRow,
  decider: invoiceDecider,
  columnsOf: (invoice) => {
    const taxEntries = taxEntriesOf(invoice);
    return {
      status: invoice.status,
      customerId: invoice.customerId,
      subscriptionIds: subscriptionIdsOf(invoice),
      issuedAt: invoice.issuedAt,
      currency: invoice.currency,
      amountDue: invoice.status === 'paid' ? amountPaid(invoice) : amountToPay(invoice),
      retryState: retryStateOf(invoice),
      nextAttemptAt: retryStateOf(invoice) === 'scheduled' ? plannedRetryAt(invoice.retries?.plan) : null,
      taxEntries,
      taxedFrom: taxEntries[0]?.date ?? null,
      taxedThrough: taxEntries.at(-1)?.date ?? null,
    };
  },
});
