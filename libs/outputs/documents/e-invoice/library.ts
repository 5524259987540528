import type { FormatFactoryService } from '@e-invoice-eu/core';
import type { EInvoice } from './e-invoice.js';

/*
 * Adapts the library that writes e-invoices. This code asks for each format itself and does not use the library's `InvoiceService`. That
 * service compiles its schema for each invoice, which blocks the process for half a second. It also requires an e-mail address of both
 * parties, which EN 16931 does not.
 */

/** A logger that drops everything. The library's log is not needed, because the library also throws an error for each failure. */
const silent = { log: () => undefined, warn: () => undefined, error: () => undefined };

/** The names that the library has for the formats. */
export type LibraryFormat = 'UBL' | 'CII' | 'Factur-X-EN16931';

type Format = ReturnType<FormatFactoryService['createFormatService']>;
type Parts = Record<string, unknown>;

/** The methods of the library's format objects that this code overrides. */
interface OverriddenMethods {
  renderXML(document: Parts): string;
}

/** The methods that this code overrides in the format object for PDF. */
interface OverriddenPdfMethods extends OverriddenMethods {
  createPDFA(pdf: Pdf, options: object, document: object): Promise<void>;
  addXmpMeta(node: object, meta: { creator: string; subject: string }): void;
  addMetadata(pdf: Pdf, xmp: string): void;
  setStructTreeRoot(pdf: Pdf): void;
}

interface Pdf {
  getTitle(): string | undefined;
  setTitle(title: string): void;
  setSubject(subject: string): void;
  setKeywords(keywords: string[]): void;
}

/**
 * Makes the format object of the library that writes `invoice`. The library is loaded with the first e-invoice, since loading it would slow
 * down the start of the process.
 */
export async function createFormat(name: LibraryFormat, invoice: EInvoice): Promise<Format> {
  const { FormatFactoryService } = await import('@e-invoice-eu/core');
  const format = new FormatFactoryService().createFormatService(name, silent) as Format &
    OverriddenPdfMethods;
  const mended = withText(format, name === 'UBL' ? (document) => document : (cii) => complete(cii, invoice));
  return name === 'Factur-X-EN16931' ? withMetadata(mended) : mended;
}

/** Returns the currencies that an e-invoice can have. */
export async function eInvoiceCurrencies(): Promise<ReadonlySet<string>> {
  const { invoiceSchema } = await import('@e-invoice-eu/core');
  const { codeLists } = invoiceSchema['$defs'] as unknown as {
    codeLists: Record<string, { enum: string[] }>;
  };
  return new Set(codeLists['ISO4217']!.enum);
}

/* Version 2.3.4 of the library has faults. Each function below corrects a fault in the step of the library that has it. */

/** Writes strings unchanged. Without this function, the library would decode a string such as `&amp;` or `&#1;`. */
function withText<Format extends OverriddenMethods>(
  format: Format,
  completed: (document: Parts) => Parts,
): Format {
  const renderXML = format.renderXML.bind(format);
  // The library decodes references once, and does not decode the result again. So it writes this as a plain `&`.
  const written = (part: unknown): unknown => {
    if (typeof part === 'string') return part.replaceAll('&', '&amp;amp;');
    if (Array.isArray(part)) return part.map(written);
    const entries = Object.entries(part as Parts);
    return Object.fromEntries(entries.map(([name, one]) => [name, written(one)]));
  };
  return Object.assign(format, {
    renderXML: (document: Parts) => renderXML(written(completed(document)) as Parts),
  });
}

/**
 * Keeps the title of the PDF, which is in the document's language. The library would set an English title with the word "Invoice", even for
 * a credit note. Writes strings unchanged.
 */
function withMetadata<Format extends OverriddenPdfMethods>(format: Format): Format {
  const createPDFA = format.createPDFA.bind(format);
  const addXmpMeta = format.addXmpMeta.bind(format);
  const addMetadata = format.addMetadata.bind(format);
  let title = '';
  return Object.assign(format, {
    createPDFA: async (...args: Parameters<OverriddenPdfMethods['createPDFA']>) => {
      const [pdf] = args;
      title = pdf.getTitle() ?? '';
      await createPDFA(...args);
      pdf.setTitle(title);
      pdf.setSubject(title);
      pdf.setKeywords(['Factur-X', 'ZUGFeRD']);
    },
    addXmpMeta: (...[node, meta]: Parameters<OverriddenPdfMethods['addXmpMeta']>) => {
      // The library decodes no references here, and does not change existing ones.
      const text = (of: string) => of.replaceAll('&', '&amp;');
      addXmpMeta(node, { ...meta, creator: text(meta.creator), subject: text(title) });
    },
    // The library writes each character as one byte, so umlauts are not UTF-8 and Japanese is lost. Therefore each character of this text
    // represents one byte of UTF-8.
    addMetadata: (...[pdf, xmp]: Parameters<OverriddenPdfMethods['addMetadata']>) => {
      const text = xmp.replace('\u00ef\u00bb\u00bf', '\ufeff');
      addMetadata(pdf, Buffer.from(text, 'utf8').toString('latin1'));
    },
    // The browser has tagged the PDF for screen readers. The library would replace the tags by an empty structure.
    setStructTreeRoot: () => undefined,
  });
}

/**
 * Completes a Cross Industry Invoice. The schema of a Cross Industry Invoice requires the group on deliveries even if the group is empty. A
 * credit note also gets the invoice that it refers to (BG-3), and the seller its identifier (BT-29).
 */
function complete(document: Parts, { precedingInvoice: preceding, seller }: EInvoice): Parts {
  const root = document['rsm:CrossIndustryInvoice'] as Parts;
  const transaction = root['rsm:SupplyChainTradeTransaction'] as Parts;
  const { 'ram:ApplicableHeaderTradeSettlement': settlement, ...before } = transaction;
  const agreement = before['ram:ApplicableHeaderTradeAgreement'] as Parts;
  const sellerParty = agreement['ram:SellerTradeParty'] as Parts;
  // The identifier is the first element of a party. The element stays in its place in the agreement.
  if (seller.identifier !== null)
    agreement['ram:SellerTradeParty'] = { 'ram:ID': seller.identifier, ...sellerParty };
  const reference = preceding && {
    'ram:IssuerAssignedID': preceding.number,
    'ram:FormattedIssueDateTime': {
      'qdt:DateTimeString': { '@format': '102', '#': preceding.issueDate.replaceAll('-', '') },
    },
  };
  root['rsm:SupplyChainTradeTransaction'] = {
    ...before,
    'ram:ApplicableHeaderTradeDelivery': {},
    'ram:ApplicableHeaderTradeSettlement': {
      ...(settlement as Parts),
      ...(reference ? { 'ram:InvoiceReferencedDocument': reference } : {}),
    },
  };
  return document;
}
