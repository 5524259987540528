import { Inject, Injectable } from '@nestjs/common';
import { WorkspaceNames } from '#libs/contexts/identity';
import {
  hostedInvoiceUrl,
  CurrentBillingSettings,
  invoiceDecider,
  InvoiceLinkTokens,
} from '#libs/contexts/invoicing';
import { SETTINGS } from '#libs/kernel/app';
import { AggregateStateReader } from '#libs/kernel/projection';
import type { Settings } from '#libs/kernel/system';
import type { ExportedCustomer } from '#libs/manifest';
import { creditNoteFileName, InvoiceDocuments, invoiceFileName } from '#libs/outputs/documents';
import { FileNames } from './file-names.js';

/** A PDF file and its path in the ZIP archive. */
interface CustomerDocument {
  readonly name: string;
  readonly pdf: Uint8Array;
}

/** Makes the PDFs of a customer's invoices and credit notes. */
@Injectable()
export class CustomerDocumentMaker {
  constructor(
    private readonly states: AggregateStateReader,
    private readonly documents: InvoiceDocuments,
    private readonly links: InvoiceLinkTokens,
    private readonly names: WorkspaceNames,
    private readonly billingSettings: CurrentBillingSettings,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Yields the PDFs of the customer's numbered invoices and credit notes, one at a time. Throws Unavailable if no PDF can be made at the
   * moment.
   */
  async *documentsOf({ workspaceId, customerId }: ExportedCustomer): AsyncGenerator<CustomerDocument> {
    const sellerName = await this.names.nameOf(workspaceId);
    const invoiceNames = new FileNames();
    const creditNoteNames = new FileNames();
    const brand = await this.billingSettings.ofWorkspace(workspaceId);
    for await (const invoice of this.states.statesWhere(
      invoiceDecider,
      workspaceId,
      'customerId',
      customerId,
    )) {
      const { invoiceId, number, creditNotes } = invoice;
      if (number === null) continue;
      const url = hostedInvoiceUrl(this.settings, await this.links.getOrCreateToken(workspaceId, invoiceId));
      const pdf = await this.documents.invoicePdf(workspaceId, invoice, sellerName, url, brand);
      yield { name: `invoices/${invoiceNames.uniqueNameFor(invoiceFileName(invoice))}`, pdf };
      for (const note of creditNotes) {
        if (note.number === null) continue;
        const notePdf = await this.documents.creditNotePdf(workspaceId, invoice, note, brand);
        yield {
          name: `credit-notes/${creditNoteNames.uniqueNameFor(creditNoteFileName(note))}`,
          pdf: notePdf,
        };
      }
    }
  }
}
