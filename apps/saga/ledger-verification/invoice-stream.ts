import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { InvoiceEvent } from '#libs/contexts/invoicing';

type Created = Extract<InvoiceEvent, { type: 'InvoiceCreated' }>;

/** An invoice with all events of its stream. */
export interface InvoiceStream {
  readonly creation: Recorded<Created>;
  /** All events of the invoice, including `creation`. */
  readonly events: readonly RecordedEvent[];
}

/** Tells whether the event creates an invoice. */
export function isInvoiceCreated(event: RecordedEvent): event is Recorded<Created> {
  return event.type === ('InvoiceCreated' satisfies Created['type']);
}

/** Returns the name of an invoice in reported differences, such as `invoice INV-000042 (inv_1) of acc_1`. */
export function invoiceDifferenceSubject({ creation: created, events }: InvoiceStream): string {
  const { invoiceId } = created.data;
  const opened = (events as readonly Recorded<InvoiceEvent>[]).find(({ type }) => type === 'InvoiceOpened');
  const number = opened?.type === 'InvoiceOpened' ? `${opened.data.number} (${invoiceId})` : invoiceId;
  return `invoice ${number} of ${created.metadata.workspaceId}`;
}
