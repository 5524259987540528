import { DeclinedInvoiceFinder, OpenInvoiceFinder } from '#libs/contexts/collection';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelDeclinedInvoiceFinder } from './read-model-declined-invoice-finder.js';
import { ReadModelOpenInvoiceFinder } from './read-model-open-invoice-finder.js';
import { invoicesProjection } from './invoices.projection.js';

export default defineReadModels({
  projections: [invoicesProjection],
  adapters: [
    { provide: DeclinedInvoiceFinder, useClass: ReadModelDeclinedInvoiceFinder },
    { provide: OpenInvoiceFinder, useClass: ReadModelOpenInvoiceFinder },
  ],
});
