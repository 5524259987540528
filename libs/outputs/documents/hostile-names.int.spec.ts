import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'puppeteer-core';
import { createLogger, loadSettings } from '#libs/kernel/system';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import { makeHostedInvoicePage } from './hosted-invoice.js';
import { InvoiceDocuments } from './invoice-documents.js';
import { launchChrome } from './pdf/chrome.js';
import { PdfRenderer } from './pdf/pdf-renderer.js';

const settings = loadSettings(process.env);

const names = [
  '<script>document.title = "ran"</script>',
  '<img src="http://127.0.0.1:9/image" onerror="document.title = \'ran\'">',
  '</style><style>@import "http://127.0.0.1:9/style";',
  '</title><iframe src="file:///etc/passwd"></iframe>',
  '{{constructor}} {{{sellerName}}} {{> paper}}',
  '"><a href="javascript:alert(1)">pay here</a>',
  '&lt;b&gt; &amp;amp; \u202Egnp.exe',
];

/** An invoice with a text in every place in which a customer or a seller can write one. */
const invoice = (text: string) => {
  const [line] = invoiceOf(sampleEvents.created()).lines;
  return invoiceOf(
    sampleEvents.created({
      billToName: text,
      billToEmail: text,
      poNumber: text,
      customFields: [{ name: text, value: text }],
      lines: [{ ...line!, description: text }],
    }),
    sampleEvents.opened({ sellerName: text }),
  );
};

describe('hostile names', () => {
  let browser: Browser;
  let documents: InvoiceDocuments;
  let renderer: PdfRenderer;

  beforeAll(async () => {
    renderer = new PdfRenderer(() => launchChrome(settings), createLogger('test', 'silent'));
    documents = new InvoiceDocuments(renderer);
    browser = await launchChrome(settings);
  });
  afterAll(async () => {
    await browser?.close();
    await renderer?.close();
  });

  /** Returns the document in a browser that runs scripts and can load everything. */
  async function shown(
    html: string,
  ): Promise<{ text: string; requests: string[]; title: string; elements: number }> {
    const page = await browser.newPage();
    const requests: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) requests.push(request.url());
    });
    await page.setContent(html, { waitUntil: 'load' });
    const seen = (await page.evaluate(
      '({ text: document.body.innerText, elements: document.querySelectorAll("script, img, iframe, main a").length })',
    )) as { text: string; elements: number };
    const title = await page.title();
    await page.close();
    return { ...seen, requests, title };
  }

  it.each(names)('stay names on the hosted page: %s', async (name) => {
    const payment = { cardOnFile: name, canTakePayments: true, canAddCard: true, isSandbox: true };
    const { html } = makeHostedInvoicePage(invoice(name), 'TOKEN', name, payment);
    const { text, requests, title, elements } = await shown(html);
    expect(text.split(name).length - 1).toBeGreaterThanOrEqual(5);
    expect(title).toContain('Invoice INV-000042 from');
    expect(requests).toEqual([]);
    // The only link is our link to the PDF.
    expect(elements).toBe(1);
  });

  it.each(names)('stay names on paper: %s', async (name) => {
    const html = await documents.invoiceHtml(invoice(name), name, 'https://billing.example/i/TOKEN');
    const { text, requests, title, elements } = await shown(html);
    expect(text.split(name).length - 1).toBeGreaterThanOrEqual(4);
    expect(title).toContain('Invoice INV-000042 from');
    expect(requests).toEqual([]);
    expect(elements).toBe(0);
  });
});
