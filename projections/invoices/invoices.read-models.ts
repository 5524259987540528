import { DeclinedInvoices } from '#libs/contexts/collection';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelDeclinedInvoices } from './declined-invoices.js';
import { invoicesProjection } from './invoices.projection.js';

export default defineReadModels({
  projections: [invoicesProjection],
  adapters: [{ provide: DeclinedInvoices, useClass: ReadModelDeclinedInvoices }],
});
