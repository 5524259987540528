import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { createLogger, loadSettings } from '#libs/kernel/system';
import { BILLING_DEFAULTS } from '#libs/contexts/invoicing';
import { invoiceOf, sampleEvents, sampleSeller } from '../../../../test/support/sample-invoice.js';
import { InvoiceDocuments } from '../invoice-documents.js';
import { launchChrome } from './chrome.js';
import { PdfRenderer } from './pdf-renderer.js';

/** Numbers of lines. With some of them, the lines fit on a page, but not the lines and the totals. */
const COUNTS = [9, 10, 11, 12, 13, 14];

describe('a long invoice', () => {
  let renderer: PdfRenderer;
  let documents: InvoiceDocuments;

  beforeAll(() => {
    renderer = new PdfRenderer(() => launchChrome(loadSettings(process.env)), createLogger('test', 'silent'));
    documents = new InvoiceDocuments(renderer);
  });
  afterAll(async () => renderer?.close());

  /** Returns the fonts of each page. */
  async function fontsOf(pdf: Buffer): Promise<string[]> {
    const document = await PDFDocument.load(pdf, { updateMetadata: false });
    return document.getPages().map((page) => {
      const fonts = page.node.Resources()!.lookup(PDFName.of('Font'), PDFDict);
      return fonts
        .keys()
        .map((key) => String(fonts.lookup(key, PDFDict).get(PDFName.of('BaseFont'))))
        .join(' ');
    });
  }

  it.each([
    ['a4', { width: 595, height: 842 }],
    ['letter', { width: 612, height: 792 }],
    [undefined, { width: 595, height: 842 }],
  ] as const)('is printed on the paper that the billing settings say: %s', async (paperSize, size) => {
    const { paperSize: _, ...settings } = BILLING_DEFAULTS;
    const chosen = { ...settings, ...(paperSize ? { paperSize } : {}) };
    const invoice = invoiceOf(sampleEvents.created({ settings: chosen }), sampleEvents.opened());
    const pdf = await documents.invoicePdf('acc_1', invoice, null, 'https://billing.example/i/TOKEN');
    const document = await PDFDocument.load(pdf, { updateMetadata: false });
    const { width, height } = document.getPage(0).getSize();
    expect({ width: Math.round(width), height: Math.round(height) }).toEqual(size);
  });

  it('has a QR-bill on a page of its own', async () => {
    const bankAccount = { iban: 'CH5800791123000889012', bic: null };
    const settings = { ...BILLING_DEFAULTS, seller: { ...sampleSeller, bankAccount } };
    const invoice = invoiceOf(sampleEvents.created({ settings, currency: 'CHF' }), sampleEvents.opened());
    const pdf = await documents.invoicePdf('acc_1', invoice, null, 'https://billing.example/i/TOKEN');
    expect((await PDFDocument.load(pdf, { updateMetadata: false })).getPageCount()).toBe(2);
  });

  it('has its totals and the way to pay on a page with at least one line, wherever the page breaks', async () => {
    const [line] = invoiceOf(sampleEvents.created()).lines;
    const pages = await Promise.all(
      COUNTS.map(async (count) => {
        // Only the lines are in Japanese, so that their font shows on which pages they are.
        const lines = Array.from({ length: count }, (_, i) => ({
          ...line!,
          id: `line_${i}`,
          description: `サポート ${i}`,
        }));
        const invoice = invoiceOf(sampleEvents.created({ lines }), sampleEvents.opened());
        return fontsOf(await documents.invoicePdf('acc_1', invoice, null, 'https://billing.example/i/TOKEN'));
      }),
    );
    expect(new Set(pages.map(({ length }) => length))).toEqual(new Set([1, 2]));
    for (const fonts of pages) expect(fonts.at(-1)).toMatch(/Gothic/);
  });
});
