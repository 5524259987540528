import { Inject, Injectable } from '@nestjs/common';
import { WorkspaceNames } from '#libs/contexts/identity';
import {
  CurrentBillingSettings,
  hostedInvoiceUrl,
  InvoiceLinkTokens,
  Invoices,
  requireCreditNote,
  type DocumentBrand,
} from '#libs/contexts/invoicing';
import { SETTINGS } from '#libs/kernel/app';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { Settings } from '#libs/kernel/system';
import {
  creditNoteFileName,
  hasReceipt,
  InvoiceDocuments,
  invoiceFileName,
  receiptFileName,
} from '#libs/outputs/documents';
import type { AttachmentMaker } from '../queue/mail-deliverer.js';
import type { AttachedDocument } from '../queue/mail.js';
import type { AttachedFile } from '../smtp/smtp-sender.js';

/** Makes the documents that are attached to mail to customers, from the present state of their invoices. */
@Injectable()
export class InvoiceAttachmentMaker implements AttachmentMaker {
  constructor(
    private readonly invoices: Invoices,
    private readonly links: InvoiceLinkTokens,
    private readonly billingSettings: CurrentBillingSettings,
    private readonly workspaces: WorkspaceNames,
    private readonly documents: InvoiceDocuments,
    private readonly clock: WorkspaceClock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async makeFiles(workspaceId: string, attached: readonly AttachedDocument[]): Promise<AttachedFile[]> {
    if (attached.length === 0) return [];
    const brand = await this.billingSettings.ofWorkspace(workspaceId);
    const files: AttachedFile[] = [];
    // One after the other, since each PDF takes the browser.
    for (const one of attached) files.push(...(await this.fileOf(workspaceId, one, brand)));
    return files;
  }

  /** The file of an attached document, as a list. The list is empty for a receipt whose invoice cannot have a receipt any more. */
  private async fileOf(
    workspaceId: string,
    attached: AttachedDocument,
    brand: DocumentBrand,
  ): Promise<AttachedFile[]> {
    const { invoiceId } = attached;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    const pdf = (filename: string, content: Buffer) => [
      { filename, content, contentType: 'application/pdf' },
    ];
    switch (attached.document) {
      case 'invoice': {
        const url = hostedInvoiceUrl(
          this.settings,
          await this.links.getOrCreateToken(workspaceId, invoiceId),
        );
        const name = await this.workspaces.nameOf(workspaceId);
        const isSandbox = (await this.clock.readMode(workspaceId)) === 'sandbox';
        return pdf(
          invoiceFileName(invoice),
          await this.documents.invoicePdf(workspaceId, invoice, name, url, brand, { isSandbox }),
        );
      }
      case 'receipt':
        if (!hasReceipt(invoice)) return [];
        return pdf(receiptFileName(invoice), await this.documents.receiptPdf(workspaceId, invoice, brand));
      case 'credit_note': {
        const note = requireCreditNote(attached.creditNoteId, invoice.creditNotes);
        return pdf(
          creditNoteFileName(note),
          await this.documents.creditNotePdf(workspaceId, invoice, note, brand),
        );
      }
    }
  }
}
