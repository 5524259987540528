import { Injectable } from '@nestjs/common';
import type { CreditNote, Invoice } from '#libs/invoicing';
import { creditNoteView } from './invoice/credit-note-view.js';
import { invoiceView } from './invoice/invoice-view.js';
import { fontFaces } from './pdf/fonts.js';
import { PdfRenderer } from './pdf/pdf-renderer.js';
import { printedInvoice } from './templates/printed-invoice.js';

/** Invoices as PDF files. */
@Injectable()
export class InvoiceDocuments {
  constructor(private readonly renderer: PdfRenderer) {}

  /**
   * The invoice on A4. `sellerName` is the workspace's present name; `payUrl` its hosted page, printed while there is
   * something to pay. Throws Unavailable if there is no browser or too much to do.
   */
  async pdf(invoice: Invoice, sellerName: string | null, payUrl: string): Promise<Buffer> {
    return this.renderer.render(await this.html(invoice, sellerName, payUrl));
  }

  /** A credit note on A4. Throws as {@link pdf} does. */
  async creditNotePdf(invoice: Invoice, note: CreditNote): Promise<Buffer> {
    const view = { ...creditNoteView(invoice, note), payUrl: null };
    return this.renderer.render(await printedInvoice(view, fontFaces));
  }

  /** The HTML that the PDF is printed from. */
  async html(invoice: Invoice, sellerName: string | null, payUrl: string): Promise<string> {
    const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
    const view = { ...invoiceView(invoice, sellerName), payUrl: isPayable ? payUrl : null };
    return printedInvoice(view, fontFaces);
  }
}

/** What the file is called: `INV-000042.pdf`. */
export function pdfFileName(invoice: Invoice): string {
  return `${invoice.number ?? 'draft'}.pdf`;
}
