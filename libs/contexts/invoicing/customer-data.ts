import { Injectable } from '@nestjs/common';
import { AggregateStateReader } from '#libs/kernel/projection';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { presentCreditNote } from './credit-notes/present.js';
import { invoiceDecider } from './decider.js';
import type { Invoice } from './invoice.js';
import { presentInvoice, presentPaymentAttempt } from './present.js';

@Injectable()
class InvoicesSource implements CustomerDataSource {
  constructor(private readonly states: AggregateStateReader) {}

  async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for await (const invoice of this.invoices(customer)) yield* this.entriesOf(invoice);
  }

  protected entriesOf(invoice: Invoice): object[] {
    return [presentInvoice(invoice)];
  }

  private invoices({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<Invoice> {
    return this.states.statesWhere(invoiceDecider, workspaceId, 'customerId', customerId);
  }
}

@Injectable()
class CreditNotesSource extends InvoicesSource {
  protected override entriesOf(invoice: Invoice): object[] {
    return invoice.creditNotes.map((note) => presentCreditNote(invoice, note));
  }
}

@Injectable()
class PaymentsSource extends InvoicesSource {
  protected override entriesOf({ invoiceId, attempts }: Invoice): object[] {
    return attempts.map((attempt) => ({ invoiceId, ...presentPaymentAttempt(attempt) }));
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'invoices', source: InvoicesSource, isAudited: true },
  { name: 'creditNotes', source: CreditNotesSource },
  { name: 'payments', source: PaymentsSource },
];
