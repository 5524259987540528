import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { InvoiceEvent } from '#libs/contexts/invoicing';

type Created = Extract<InvoiceEvent, { type: 'InvoiceCreated' }>;

/** An invoice with everything that became of it. */
export interface InvoiceStream {
  readonly created: Recorded<Created>;
  /** All of its events, with that one. */
  readonly events: readonly RecordedEvent[];
}

/** Whether the event makes an invoice. */
export function isCreation(event: RecordedEvent): event is Recorded<Created> {
  return event.type === ('InvoiceCreated' satisfies Created['type']);
}

/** An invoice as a difference names it. */
export function invoiceName({ created, events }: InvoiceStream): string {
  const { invoiceId } = created.data;
  const opened = (events as readonly Recorded<InvoiceEvent>[]).find(({ type }) => type === 'InvoiceOpened');
  const number = opened?.type === 'InvoiceOpened' ? `${opened.data.number} (${invoiceId})` : invoiceId;
  return `invoice ${number} of ${created.metadata.workspaceId}`;
}
