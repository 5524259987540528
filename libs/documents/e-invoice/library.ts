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
  /** Of the one that makes a PDF. */
  addMetadata?(pdf: unknown, xmp: string): void;
  setStructTreeRoot?(pdf: unknown): void;
}

/** A format of the library that writes `invoice`. Only the first e-invoice loads it; that is a part of what a process takes to start. */
export async function formatFor(name: LibraryFormat, invoice: EInvoice): Promise<Format> {
  const { FormatFactoryService } = await import('@e-invoice-eu/core');
  const format = new FormatFactoryService().createFormatService(name, silent) as Format & Steps;
  return name === 'UBL' ? format : mended(format, invoice);
}

/** The currencies that an e-invoice can be in. */
export async function knownCurrencies(): Promise<ReadonlySet<string>> {
  const { invoiceSchema } = await import('@e-invoice-eu/core');
  const { codeLists } = invoiceSchema['$defs'] as unknown as {
    codeLists: Record<string, { enum: string[] }>;
  };
  return new Set(codeLists['ISO4217']!.enum);
}

/** Puts right what version 2.3.4 does not do, in the steps in which it could have done it. */
function mended(format: Format & Steps, invoice: EInvoice): Format {
  const renderXML = format.renderXML.bind(format);
  const addMetadata = format.addMetadata?.bind(format);
  return Object.assign(format, {
    renderXML: (document: Parts) => renderXML(complete(document, invoice)),
    // It writes characters as bytes, so that umlauts are no UTF-8 and Japanese is lost. Bytes it writes as they are.
    addMetadata: (pdf: unknown, xmp: string) => {
      const text = xmp.replace('\u00ef\u00bb\u00bf', '\ufeff');
      addMetadata?.(pdf, Buffer.from(text, 'utf8').toString('latin1'));
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
