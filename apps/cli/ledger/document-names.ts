import { ERASED } from '#libs/kernel/event-store';
import { type RecordedEvent } from '#libs/kernel/domain';
import type { LedgerTransaction } from '#libs/contexts/ledger';

/** What people know documents and customers by, as their events tell: numbers and names. */
export class DocumentNames {
  private readonly numbers = new Map<string, string>();
  private readonly customers = new Map<string, string>();

  note({ type, data }: RecordedEvent): void {
    if (type === 'InvoiceOpened') {
      const { invoiceId, number } = data as { invoiceId: string; number: string };
      this.numbers.set(invoiceId, number);
    } else if (type === 'CreditNoteNumbered') {
      const { creditNoteId, number } = data as { creditNoteId: string; number: string };
      this.numbers.set(creditNoteId, number);
    } else if (type === 'CustomerCreated' || type === 'CustomerUpdated') {
      const { customerId, name } = data as { customerId: string; name?: string };
      if (name !== undefined) this.customers.set(customerId, name);
    }
  }

  /** The number of the credit note or invoice that a transaction is about; undefined if it is about none, or that has none. */
  numberOf({ creditNoteId, invoiceId }: LedgerTransaction): string | undefined {
    return this.numbers.get(creditNoteId ?? invoiceId ?? '');
  }

  /** The customer's latest name; undefined where it was erased, or the events were read without personal data. */
  customerName(customerId: string): string | undefined {
    const name = this.customers.get(customerId);
    return name === ERASED ? undefined : name;
  }
}
