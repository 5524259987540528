import { describe, expect, it } from '@jest/globals';
import { BILLING_DEFAULTS } from '#libs/contexts/invoicing';
import { LANGUAGES } from '#libs/kernel/core';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import { InvoiceDocuments } from './invoice-documents.js';
import { wordingOf } from './languages/index.js';

const { created, opened, started, declined } = sampleEvents;
const URL = 'https://billing.example/i/TOKEN';
const documents = new InvoiceDocuments(null as never);
const amount = { total: '0.30', lines: [] };

describe('the address on the printed invoice', () => {
  it.each(LANGUAGES)('leads to a page to look at, if no card can pay the amount: %s', async (language) => {
    const { viewAndPay, viewOnline } = wordingOf(language).labels;
    const settings = { ...BILLING_DEFAULTS, language };
    const small = [created({ ...amount, settings }), opened(amount)];
    const { type, data } = declined();
    const refused = { type, data: { ...data, code: 'amount_too_small' } };
    const inSandbox = await documents.invoiceHtml(invoiceOf(...small), null, URL, undefined, true);
    const afterRefusal = await documents.invoiceHtml(
      invoiceOf(...small, started(1, { ...amount, amount: '0.30' }), refused),
      null,
      URL,
    );
    for (const html of [inSandbox, afterRefusal]) {
      expect(html).toContain(`${viewOnline} <a href=`);
      expect(html).not.toContain(viewAndPay);
    }
    const inLive = await documents.invoiceHtml(invoiceOf(...small), null, URL);
    expect(inLive).toContain(`${viewAndPay} <a href=`);
  });
});
