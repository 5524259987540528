import { Injectable } from '@nestjs/common';
import { DEFAULT_BRAND, type DocumentBrand, type CreditNote, type Invoice } from '#libs/contexts/invoicing';
import type { EInvoice } from './e-invoice/e-invoice.js';
import { eCreditNoteOf, eInvoiceOf } from './e-invoice/e-invoice-of.js';
import { embedXml, isWritableIn, writeXml, type EInvoiceFormat } from './e-invoice/e-invoice-writer.js';
import { canBeEInvoice } from './e-invoice/requirements.js';
import { creditNoteView } from './invoice/credit-note-view.js';
import { invoiceView, type InvoiceView } from './invoice/invoice-view.js';
import { receiptView } from './invoice/receipt-view.js';
import { fontFaces } from './pdf/fonts.js';
import { PdfRenderer } from './pdf/pdf-renderer.js';
import { brandView } from './templates/brand.js';
import { printedInvoice } from './templates/printed-invoice.js';

/** Invoices and credit notes as files: PDF, and XML for programs. */
@Injectable()
export class InvoiceDocuments {
  constructor(private readonly renderer: PdfRenderer) {}

  /**
   * The invoice on paper, printed in the workspace's turn. `sellerName` is the workspace's present name; `payUrl` its hosted page, printed
   * while there is something to pay; `brand` how the workspace's documents look by now. With the e-invoice inside, if its settings say so
   * and it has all that one needs: nobody is refused the paper because of the XML. Throws Unavailable if there is no browser or too much to
   * do.
   */
  async pdf(
    workspaceId: string,
    invoice: Invoice,
    sellerName: string | null,
    payUrl: string,
    brand: DocumentBrand = DEFAULT_BRAND,
  ): Promise<Buffer> {
    const pdf = await this.renderer.render(await this.html(invoice, sellerName, payUrl, brand), workspaceId);
    return (await hasEInvoice(invoice)) ? embed(pdf, invoice, eInvoiceOf(invoice)) : pdf;
  }

  /** A receipt of the payment of an invoice. Throws Conflict where there was none, and as {@link pdf} does. */
  async receiptPdf(
    workspaceId: string,
    invoice: Invoice,
    brand: DocumentBrand = DEFAULT_BRAND,
  ): Promise<Buffer> {
    return this.renderer.render(await this.printed(invoice, receiptView(invoice), brand), workspaceId);
  }

  /** A credit note on paper. Throws as {@link pdf} does. */
  async creditNotePdf(
    workspaceId: string,
    invoice: Invoice,
    note: CreditNote,
    brand: DocumentBrand = DEFAULT_BRAND,
  ): Promise<Buffer> {
    const html = await this.printed(invoice, creditNoteView(invoice, note), brand);
    const pdf = await this.renderer.render(html, workspaceId);
    const isWhole = note.number !== null && note.voidedAt === undefined && (await hasEInvoice(invoice));
    return isWhole ? embed(pdf, invoice, eCreditNoteOf(invoice, note)) : pdf;
  }

  /** The invoice as XML of EN 16931. Throws Conflict that says why, if it cannot be had. */
  async xml(invoice: Invoice, format: EInvoiceFormat): Promise<string> {
    return writeXml(eInvoiceOf(invoice), format, invoice.settings.language);
  }

  /** A credit note as XML of EN 16931. Throws as {@link xml} does. */
  async creditNoteXml(invoice: Invoice, note: CreditNote, format: EInvoiceFormat): Promise<string> {
    return writeXml(eCreditNoteOf(invoice, note), format, invoice.settings.language);
  }

  /** The HTML that the PDF is printed from. */
  async html(
    invoice: Invoice,
    sellerName: string | null,
    payUrl: string,
    brand: DocumentBrand = DEFAULT_BRAND,
  ): Promise<string> {
    const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
    return this.printed(invoice, invoiceView(invoice, sellerName), brand, isPayable ? payUrl : null);
  }

  private async printed(
    invoice: Invoice,
    view: InvoiceView,
    brand: DocumentBrand,
    payUrl: string | null = null,
  ): Promise<string> {
    const { paperSize = 'a4' } = invoice.settings;
    return printedInvoice({ ...view, ...brandView(brand), brand, paperSize, payUrl }, fontFaces);
  }
}

/** What the file is called: `INV-000042.pdf`. */
export function pdfFileName(invoice: Invoice): string {
  return `${invoice.number ?? 'draft'}.pdf`;
}

/** What a credit note is called: `CN-000042.pdf`. */
export function creditNoteFileName({ number }: CreditNote): string {
  return `${number ?? 'credit-note'}.pdf`;
}

/** What a receipt is called: `INV-000042-receipt.pdf`. */
export function receiptFileName(invoice: Invoice): string {
  return `${invoice.number ?? 'draft'}-receipt.pdf`;
}

async function hasEInvoice(invoice: Invoice): Promise<boolean> {
  const { settings, currency } = invoice;
  return settings.eInvoicing === 'facturx' && canBeEInvoice(invoice) && isWritableIn(currency);
}

async function embed(pdf: Buffer, { settings }: Invoice, eInvoice: EInvoice): Promise<Buffer> {
  return embedXml(pdf, eInvoice, settings.language);
}
