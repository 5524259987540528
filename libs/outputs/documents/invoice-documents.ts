import { Injectable } from '@nestjs/common';
import type { EInvoiceProfile } from '#libs/kernel/core';
import {
  amountToPay,
  DEFAULT_BRAND,
  type DocumentBrand,
  type CreditNote,
  type Invoice,
} from '#libs/contexts/invoicing';
import { knownRefusalOfAmount } from '#libs/contexts/payments';
import type { EInvoice } from './e-invoice/e-invoice.js';
import { eCreditNoteOf, eInvoiceOf } from './e-invoice/e-invoice-of.js';
import { embedXml, isEInvoiceCurrency, writeXml, type EInvoiceFormat } from './e-invoice/e-invoice-writer.js';
import { canBeEInvoice } from './e-invoice/requirements.js';
import { creditNoteView } from './invoice/credit-note-view.js';
import { invoiceView, type PrintedInvoiceContent } from './invoice/invoice-view.js';
import { receiptView } from './invoice/receipt-view.js';
import { fontFaces } from './pdf/fonts.js';
import { PdfPool } from './pdf/pdf-pool.js';
import { PdfRenderer } from './pdf/pdf-renderer.js';
import { brandView } from './templates/brand.js';
import { renderPrintedInvoice } from './templates/printed-invoice.js';

/** The XML in a PDF keeps to the norm alone, as Factur-X requires. */
const PDF_PROFILE = 'en16931';

/** How a PDF is requested. */
export interface PdfOptions {
  /** True if the link of the invoice is the only credential. Such requests have limits of their own. Default: false. */
  viaLink?: boolean;
}

/** How the PDF of an invoice is requested. */
export interface InvoicePdfOptions extends PdfOptions {
  /** True in a sandbox, which knows before a charge which amounts no card can pay. Default: false. */
  isSandbox?: boolean;
}

/** Makes files of invoices and credit notes: PDF for people, and XML for programs. */
@Injectable()
export class InvoiceDocuments {
  private readonly pool = new PdfPool();

  constructor(private readonly renderer: PdfRenderer) {}

  /**
   * Makes the PDF of an invoice. Workspaces take turns, so that no workspace waits for all PDFs of another. The PDF contains the e-invoice
   * if the invoice's settings require it and the invoice has all data for it. The PDF is also made if data for the e-invoice is missing.
   * Throws Unavailable if there is no browser, if printing fails twice, or if too many documents of the workspace wait to be printed.
   *
   * @param sellerName the present name of the workspace
   * @param payUrl the address of the hosted page, which is printed while the invoice is open or written off
   * @param brand the present look of the workspace's documents
   */
  async invoicePdf(
    workspaceId: string,
    invoice: Invoice,
    sellerName: string | null,
    payUrl: string,
    brand: DocumentBrand = DEFAULT_BRAND,
    { viaLink = false, isSandbox = false }: InvoicePdfOptions = {},
  ): Promise<Buffer> {
    const { invoiceId } = invoice;
    const madeFrom = [invoice, sellerName, payUrl, brand, isSandbox];
    return this.pool.get({ workspaceId, invoiceId, document: 'invoice', madeFrom, viaLink }, async () => {
      const html = await this.invoiceHtml(invoice, sellerName, payUrl, brand, isSandbox);
      const pdf = await this.renderer.render(html, workspaceId);
      return (await hasEInvoice(invoice)) ? embed(pdf, invoice, eInvoiceOf(invoice, PDF_PROFILE)) : pdf;
    });
  }

  /**
   * Makes a receipt for the payment of an invoice. Throws Conflict (`not_paid`) if the invoice is not completely paid, or if no card and no
   * recorded payment in money paid a part of it. Throws Unavailable as {@link invoicePdf} does.
   */
  async receiptPdf(
    workspaceId: string,
    invoice: Invoice,
    brand: DocumentBrand = DEFAULT_BRAND,
    { viaLink = false }: PdfOptions = {},
  ): Promise<Buffer> {
    const { invoiceId } = invoice;
    const madeFrom = [invoice, brand];
    return this.pool.get({ workspaceId, invoiceId, document: 'receipt', madeFrom, viaLink }, async () =>
      this.renderer.render(await this.printed(invoice, receiptView(invoice), brand), workspaceId),
    );
  }

  /** Makes the PDF of a credit note. Throws as {@link invoicePdf} does. */
  async creditNotePdf(
    workspaceId: string,
    invoice: Invoice,
    note: CreditNote,
    brand: DocumentBrand = DEFAULT_BRAND,
    { viaLink = false }: PdfOptions = {},
  ): Promise<Buffer> {
    const { invoiceId } = invoice;
    const request = { document: note.creditNoteId, madeFrom: [invoice, note, brand] };
    return this.pool.get({ workspaceId, invoiceId, ...request, viaLink }, async () => {
      const html = await this.printed(invoice, creditNoteView(invoice, note), brand);
      const pdf = await this.renderer.render(html, workspaceId);
      const isWhole = note.number !== null && note.voidedAt === undefined && (await hasEInvoice(invoice));
      return isWhole ? embed(pdf, invoice, eCreditNoteOf(invoice, note, PDF_PROFILE)) : pdf;
    });
  }

  /**
   * Writes the invoice as XML of EN 16931, by the profile of the customer unless another one is given. Throws Conflict with the reason if the
   * invoice cannot be an e-invoice.
   */
  async invoiceXml(invoice: Invoice, format: EInvoiceFormat, profile?: EInvoiceProfile): Promise<string> {
    return writeXml(eInvoiceOf(invoice, profile), format, invoice.settings.language);
  }

  /** Writes a credit note as XML of EN 16931. Throws as {@link invoiceXml} does. */
  async creditNoteXml(
    invoice: Invoice,
    note: CreditNote,
    format: EInvoiceFormat,
    profile?: EInvoiceProfile,
  ): Promise<string> {
    return writeXml(eCreditNoteOf(invoice, note, profile), format, invoice.settings.language);
  }

  /** The HTML from which the PDF is printed. It does not ask to pay online if no card can pay the amount due. */
  async invoiceHtml(
    invoice: Invoice,
    sellerName: string | null,
    payUrl: string,
    brand: DocumentBrand = DEFAULT_BRAND,
    isSandbox = false,
  ): Promise<string> {
    const view = invoiceView(invoice, sellerName);
    const isPayable = invoice.status === 'open' || invoice.status === 'uncollectible';
    if (!isPayable) return this.printed(invoice, view, brand);
    const { currency, attempts } = invoice;
    const refusal = knownRefusalOfAmount(amountToPay(invoice), currency, isSandbox, attempts.at(-1));
    return this.printed(invoice, view, brand, payUrl, refusal === undefined);
  }

  private async printed(
    invoice: Invoice,
    view: PrintedInvoiceContent,
    brand: DocumentBrand,
    payUrl: string | null = null,
    isPayableOnline = true,
  ): Promise<string> {
    const { paperSize = 'a4' } = invoice.settings;
    const online = { payUrl, isPayableOnline };
    return renderPrintedInvoice({ ...view, ...brandView(brand), brand, paperSize, ...online }, fontFaces);
  }
}

/** The file name of an invoice, such as `INV-000042.pdf`. */
export function invoiceFileName(invoice: Invoice): string {
  return `${invoice.number ?? 'draft'}.pdf`;
}

/** The file name of a credit note, such as `CN-000042.pdf`. */
export function creditNoteFileName({ number }: CreditNote): string {
  return `${number ?? 'credit-note'}.pdf`;
}

/** The file name of a receipt, such as `INV-000042-receipt.pdf`. */
export function receiptFileName(invoice: Invoice): string {
  return `${invoice.number ?? 'draft'}-receipt.pdf`;
}

async function hasEInvoice(invoice: Invoice): Promise<boolean> {
  const { settings, currency } = invoice;
  return settings.eInvoicing === 'facturx' && canBeEInvoice(invoice) && isEInvoiceCurrency(currency);
}

async function embed(pdf: Buffer, { settings }: Invoice, eInvoice: EInvoice): Promise<Buffer> {
  return embedXml(pdf, eInvoice, settings.language);
}
