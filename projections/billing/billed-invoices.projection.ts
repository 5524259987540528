import type { InvoiceEvent } from '#libs/contexts/invoicing';
import { foldProjection } from '#libs/kernel/projection';
import { BilledInvoiceRow } from './billed-invoice-row.js';
import { EVENTS_OF_DUE_CHANGES, type EventOfDueChange } from './billing-runs.projection.js';

type CreatedEvent = Extract<InvoiceEvent, { type: 'InvoiceCreated' | 'DraftRecomputed' }>;

/** The invoices of each billing run. A row begins with the decision of the run to bill, and gets its total when the invoice is created. */
export const billedInvoicesProjection = foldProjection<BilledInvoiceRow, EventOfDueChange | CreatedEvent>({
  name: 'billed-invoices',
  version: 4,
  entity: BilledInvoiceRow,
  eventTypes: [...EVENTS_OF_DUE_CHANGES, 'InvoiceCreated', 'DraftRecomputed'],
  keyOf: (event) => {
    if (isOfInvoice(event)) return event.data.invoiceId;
    return event.data.run ? event.data.bill?.invoiceId : undefined;
  },
  evolve: (row, event) => {
    if (event.type === 'InvoiceCreated') {
      const { subscriptionId, total } = event.data;
      return row && { ...row, subscriptionId, total };
    }
    if (event.type === 'DraftRecomputed') return row && { ...row, total: event.data.total };
    const { run, bill } = event.data;
    const { invoiceId, subscriptionId, customerId, currency } = bill!;
    const position = String(event.position);
    return { invoiceId, runId: run!.runId, subscriptionId, customerId, currency, total: null, position };
  },
});

function isOfInvoice(event: EventOfDueChange | CreatedEvent): event is CreatedEvent {
  return event.type === 'InvoiceCreated' || event.type === 'DraftRecomputed';
}
