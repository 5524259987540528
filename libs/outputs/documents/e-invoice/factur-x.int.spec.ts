import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PDFDocument } from '@cantoo/pdf-lib';
import { createLogger, loadSettings } from '#libs/kernel/system';
import { BILLING_DEFAULTS } from '#libs/contexts/invoicing';
import { eCreditNoteSample, eInvoiceSample, vatRate } from '../../../../test/support/e-invoicing.js';
import { readCii } from '../../../../test/support/en16931/index.js';
import { sampleSeller } from '../../../../test/support/sample-invoice.js';
import { InvoiceDocuments } from '../invoice-documents.js';
import { launchChrome } from '../pdf/chrome.js';
import { PdfRenderer } from '../pdf/pdf-renderer.js';

const settings = loadSettings(process.env);
const lines = [
  { type: 'manual' as const, description: 'Beratung', quantity: '2', unitPrice: '50', amount: '100.00' },
];
const invoice = eInvoiceSample({ currency: 'EUR', lines, rate: vatRate('19') });

describe('a PDF with the e-invoice inside', () => {
  let renderer: PdfRenderer;
  let documents: InvoiceDocuments;

  beforeAll(() => {
    renderer = new PdfRenderer(() => launchChrome(settings), createLogger('test', 'silent'));
    documents = new InvoiceDocuments(renderer);
  });
  afterAll(async () => renderer?.close());

  async function filesIn(pdf: Buffer): Promise<{ name: string; text: string }[]> {
    const document = await PDFDocument.load(pdf, { updateMetadata: false });
    return document
      .getAttachments()
      .map(({ name, data }) => ({ name, text: Buffer.from(data).toString('utf8') }));
  }

  it('has the same XML as the separate document, and says that it is Factur-X', async () => {
    const pdf = await documents.invoicePdf('acc_1', invoice, null, 'https://billing.example/i/TOKEN');
    const xml = await documents.invoiceXml(invoice, 'cii');
    expect(await filesIn(pdf)).toEqual([{ name: 'factur-x.xml', text: xml }]);
    const text = pdf.toString('latin1');
    expect(text).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(text).toContain('<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>');
  });

  it('is made of credit notes too', async () => {
    const note = eCreditNoteSample(invoice, { amount: '11.90' });
    const [file] = await filesIn(await documents.creditNotePdf('acc_1', invoice, note));
    expect(readCii(file!.text)).toMatchObject({ number: 'CN-000001', totals: { withVat: '11.90' } });
  });

  it('is called what it is, in its language, and by the seller as he is called', async () => {
    const seller = { ...sampleSeller, legalName: 'R&D; Söhne &amp; Co' };
    const told = { ...invoice, settings: { ...invoice.settings, seller, language: 'de' as const } };
    const note = eCreditNoteSample(told, { amount: '11.90' });
    const pdf = await documents.creditNotePdf('acc_1', told, note);
    const document = await PDFDocument.load(pdf, { updateMetadata: false });
    const title = 'Rechnungskorrektur CN-000001 von R&D; Söhne &amp; Co';
    expect([document.getTitle(), document.getSubject()]).toEqual([title, title]);
    expect(document.getAuthor()).toBe(seller.legalName);
    const xmp = pdf.toString('utf8');
    expect(xmp.split('>Rechnungskorrektur CN-000001 von R&amp;D; Söhne &amp;amp; Co</')).toHaveLength(3);
    expect(xmp).not.toContain('Rechnung CN-');
  });

  it('is an ordinary PDF if the settings want no e-invoice, or the invoice cannot be one', async () => {
    const none = { ...invoice, settings: { ...BILLING_DEFAULTS, seller: sampleSeller } };
    const { billToAddress: _, ...incomplete } = invoice;
    // The norm's list of currencies is older than the Caribbean guilder (XCG).
    const unlisted = { ...invoice, currency: 'XCG' };
    for (const one of [none, incomplete, unlisted])
      expect(
        await filesIn(await documents.invoicePdf('acc_1', one, null, 'https://billing.example/i/TOKEN')),
      ).toEqual([]);
  });
});
