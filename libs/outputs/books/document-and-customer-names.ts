import { ERASED } from '#libs/kernel/event-store';
import { type RecordedEvent } from '#libs/kernel/domain';
import type { LedgerTransaction } from '#libs/contexts/ledger';

/** The numbers of invoices and credit notes and the names of customers, collected from the events. */
export class DocumentAndCustomerNames {
  private readonly numbers = new Map<string, string>();
  private readonly customers = new Map<string, string>();

  observe({ type, data }: RecordedEvent): void {
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

  /**
   * Returns the number of the transaction's credit note or invoice. Returns undefined if the transaction has neither document, or if the
   * document has no number.
   */
  documentNumberOf({ creditNoteId, invoiceId }: LedgerTransaction): string | undefined {
    return this.numbers.get(creditNoteId ?? invoiceId ?? '');
  }

  /** Returns the customer's latest name; undefined if the name was erased, or if the events were read without personal data. */
  customerName(customerId: string): string | undefined {
    const name = this.customers.get(customerId);
    return name === ERASED ? undefined : name;
  }
}
