import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, loadSettings } from '#libs/kernel/system';
import { BILLING_DEFAULTS, type Invoice } from '#libs/contexts/invoicing';
import { invoiceOf, sampleEvents } from '../../../../test/support/sample-invoice.js';
import { InvoiceDocuments } from '../invoice-documents.js';
import { launchChrome } from './chrome.js';
import { fontFaces } from './fonts.js';
import { PdfRenderer } from './pdf-renderer.js';

let renderer: PdfRenderer;

beforeAll(() => {
  renderer = new PdfRenderer(() => launchChrome(loadSettings(process.env)), createLogger('test', 'silent'));
});
afterAll(async () => renderer?.close());

const invoice = (billToName: string, language: 'en' | 'ja'): Invoice =>
  invoiceOf(
    sampleEvents.created({ billToName, settings: { ...BILLING_DEFAULTS, language } }),
    sampleEvents.opened(),
  );

const pdfOf = async (one: Invoice) =>
  (
    await new InvoiceDocuments(renderer).invoicePdf('acc_1', one, null, 'https://billing.example/i/TOKEN')
  ).toString('latin1');

/** The fonts in a PDF, without their subsets' prefixes. */
const fontsOf = (pdf: string) =>
  new Set([...pdf.matchAll(/\/BaseFont \/(?:[A-Z]{6}\+)?([\w-]+)/g)].map(([, name]) => name));

/** Returns the characters for which a PDF has glyphs, read from the tables that map a font's glyphs to characters. */
function charactersOf(pdf: string): Set<string> {
  const found = new Set<string>();
  for (const [, stream] of pdf.matchAll(/\/FlateDecode[^]*?stream\r?\n([^]*?)\r?\nendstream/g)) {
    const table = inflated(stream!);
    for (const [, block] of table.matchAll(/beginbfchar([^]*?)endbfchar/g))
      for (const [, code] of block!.matchAll(/<[0-9A-F]+> <([0-9A-F]{4})>/gi))
        found.add(String.fromCharCode(Number.parseInt(code!, 16)));
    for (const [, block] of table.matchAll(/beginbfrange([^]*?)endbfrange/g))
      for (const range of block!.matchAll(/<([0-9A-F]+)> <([0-9A-F]+)> <([0-9A-F]{4})>/gi)) {
        const [first, last, code] = range.slice(1).map((hex) => Number.parseInt(hex, 16));
        for (let i = 0; first! + i <= last!; i++) found.add(String.fromCharCode(code! + i));
      }
  }
  return found;
}

function inflated(stream: string): string {
  try {
    return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
  } catch {
    return '';
  }
}

describe('a Japanese PDF', () => {
  it('has every glyph in fonts of its own, whatever the machine has', async () => {
    const pdf = await pdfOf(invoice('髙﨑商事株式会社', 'ja'));
    expect([...fontsOf(pdf)].sort()).toEqual([
      'BIZUDPGothic-Bold',
      'BIZUDPGothic-Regular',
      'OpenSans-Bold',
      'OpenSans-Regular',
    ]);
    const characters = charactersOf(pdf);
    for (const character of '請求書発行日お支払期限髙﨑商事株式会社年月')
      expect([character, characters.has(character)]).toEqual([character, true]);
    // The PDF contains only the used part of the font, which has 5 MB in all.
    expect(pdf.length).toBeLessThan(200_000);
  });

  it('is also a PDF in another language with a Japanese name', async () => {
    expect(fontsOf(await pdfOf(invoice('日本商事', 'en'))).has('BIZUDPGothic-Bold')).toBe(true);
  });

  it('is the only one that loads the Japanese font', async () => {
    expect(await fontFaces('Rechnung für Ünïcödé Ltd, 5 €')).not.toContain('BIZ UDPGothic');
  });
});
