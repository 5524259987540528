import { invoiceDecider } from '#libs/invoicing';
import { snapshotProjection } from '#libs/projection';
import { InvoiceRow } from './invoice-row.js';

/** Every invoice with its present state and its payment attempts: `GET /v1/invoices`. */
export const invoicesProjection = snapshotProjection({
  name: 'invoices',
  version: 7,
  entity: InvoiceRow,
  decider: invoiceDecider,
  columns: ({ status, customerId }) => ({ status, customerId }),
});
