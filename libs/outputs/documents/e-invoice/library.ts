import type { FormatFactoryService } from '@e-invoice-eu/core';
import type { EInvoice } from './e-invoice.js';

/*
 * The library that writes e-invoices. Its formats are asked for one by one, since its `InvoiceService` compiles its schema for each
 * invoice (half a second in which the process answers nobody) and wants an e-mail address of both parties, which EN 16931 does not.
 */

/** What the library says of what it is doing goes nowhere: what it cannot do it throws. */
const silent = { log: () => undefined, warn: () => undefined, error: () => undefined };

/** The formats by the library's names. */
export type LibraryFormat = 'UBL' | 'CII' | 'Factur-X-EN16931';

type Format = ReturnType<FormatFactoryService['createFormatService']>;
type Parts = Record<string, unknown>;

/** What the library's formats do step by step. */
interface Steps {
  renderXML(document: Parts): string;
}

/** The same of the one that makes a PDF. */
interface PdfSteps extends Steps {
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

/** A format of the library that writes `invoice`. Only the first e-invoice loads it; that is a part of what a process takes to start. */
export async function formatFor(name: LibraryFormat, invoice: EInvoice): Promise<Format> {
  const { FormatFactoryService } = await import('@e-invoice-eu/core');
  const format = new FormatFactoryService().createFormatService(name, silent) as Format & PdfSteps;
  const mended = withText(format, name === 'UBL' ? (document) => document : (cii) => complete(cii, invoice));
  return name === 'Factur-X-EN16931' ? withMetadata(mended) : mended;
}

/** The currencies that an e-invoice can be in. */
export async function knownCurrencies(): Promise<ReadonlySet<string>> {
  const { invoiceSchema } = await import('@e-invoice-eu/core');
  const { codeLists } = invoiceSchema['$defs'] as unknown as {
    codeLists: Record<string, { enum: string[] }>;
  };
  return new Set(codeLists['ISO4217']!.enum);
}

/*
 * What version 2.3.4 does not do is put right in the steps in which it could have done it.
 */

/** Writes texts as they are: of what looks like a reference, `&amp;` or `&#1;`, the library's writer makes the character. */
function withText<Format extends Steps>(format: Format, completed: (document: Parts) => Parts): Format {
  const renderXML = format.renderXML.bind(format);
  // It reads references once, and then leaves those that it finds: this is `&` as text to it.
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

/** Keeps the title that the PDF has, in its language, for credit notes too; and texts as they are. */
function withMetadata<Format extends PdfSteps>(format: Format): Format {
  const createPDFA = format.createPDFA.bind(format);
  const addXmpMeta = format.addXmpMeta.bind(format);
  const addMetadata = format.addMetadata.bind(format);
  let title = '';
  return Object.assign(format, {
    createPDFA: async (...args: Parameters<PdfSteps['createPDFA']>) => {
      const [pdf] = args;
      title = pdf.getTitle() ?? '';
      await createPDFA(...args);
      pdf.setTitle(title);
      pdf.setSubject(title);
      pdf.setKeywords(['Factur-X', 'ZUGFeRD']);
    },
    addXmpMeta: (...[node, meta]: Parameters<PdfSteps['addXmpMeta']>) => {
      // Here references are not read, and those that it finds are left.
      const text = (of: string) => of.replaceAll('&', '&amp;');
      addXmpMeta(node, { ...meta, creator: text(meta.creator), subject: text(title) });
    },
    // It writes characters as bytes, so that umlauts are no UTF-8 and Japanese is lost. Bytes it writes as they are.
    addMetadata: (...[pdf, xmp]: Parameters<PdfSteps['addMetadata']>) => {
      const text = xmp.replace('\u00ef\u00bb\u00bf', '\ufeff');
      addMetadata(pdf, Buffer.from(text, 'utf8').toString('latin1'));
    },
    // The browser has tagged the PDF for those who have it read to them; the library would put an empty structure in its place.
    setStructTreeRoot: () => undefined,
  });
}

/**
 * A Cross Industry Invoice with the group on deliveries, which its schema demands also where there is nothing to say, and with the
 * invoice that a credit note is on (BG-3).
 */
function complete(document: Parts, { preceding }: EInvoice): Parts {
  const root = document['rsm:CrossIndustryInvoice'] as Parts;
  const transaction = root['rsm:SupplyChainTradeTransaction'] as Parts;
  const { 'ram:ApplicableHeaderTradeSettlement': settlement, ...before } = transaction;
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
