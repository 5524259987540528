import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LANGUAGES, type Language } from '#libs/kernel/core';
import { BILLING_DEFAULTS } from '#libs/contexts/invoicing';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import { makeHostedInvoicePage } from './hosted-invoice.js';

const payment = { cardOnFile: 'Visa ending 4242', canTakePayments: true, canAddCard: true, isSandbox: true };

/** An open invoice with this number of lines, each with a period, a unit price, tiers and late usage. */
function invoiceWith(count: number, language: Language) {
  const [line] = invoiceOf(sampleEvents.created()).lines;
  const lines = Array.from({ length: count }, (_, i) => ({
    ...line!,
    id: `line_${i}`,
    description: `Requests ${i}`,
    tiers: [
      { upTo: '1000', quantity: '1000', unitPrice: '0.02', amount: '20.00' },
      { upTo: null, quantity: '7819', unitPrice: '0.01', flatAmount: '5', amount: '83.19' },
    ],
  }));
  return invoiceOf(
    sampleEvents.created({ lines, settings: { ...BILLING_DEFAULTS, language } }),
    sampleEvents.opened(),
  );
}

/** The `Intl` that the product uses. Jest loads the product with Node itself, so the `Intl` of this file is another one. */
const IntlOfProduct = (makeHostedInvoicePage.constructor as FunctionConstructor)(
  'return Intl',
)() as typeof Intl;

/** Counts the formatters that are made while `work` runs. */
function formattersMadeBy(work: () => unknown): number {
  const spies = [
    jest.spyOn(IntlOfProduct, 'NumberFormat'),
    jest.spyOn(IntlOfProduct, 'DateTimeFormat'),
    jest.spyOn(IntlOfProduct, 'PluralRules'),
    jest.spyOn(IntlOfProduct, 'DisplayNames'),
  ];
  work();
  return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
}

describe('the page of an invoice of 500 lines', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  // Making a formatter takes fifty times as long as using it.
  it.each(LANGUAGES)('makes no formatter that a page of one line has made: %s', (language) => {
    const page = (count: number) =>
      makeHostedInvoicePage(invoiceWith(count, language), 'TOKEN', 'Contoso', payment).html;
    page(1);
    expect(formattersMadeBy(() => page(500))).toBe(0);
  });

  it('is made once until the invoice, the card or the brand changes', () => {
    const invoice = invoiceWith(500, 'en');
    const page = (of = invoice, card = payment.cardOnFile) =>
      makeHostedInvoicePage(of, 'TOKEN_1', 'Contoso', { ...payment, cardOnFile: card });
    const first = page();
    expect(page(invoiceWith(500, 'en'))).toBe(first);
    expect(page(invoice, 'Visa ending 0341').html).toContain('0341');
    expect(page(invoiceWith(499, 'en')).html).not.toContain('Requests 499');
  });
});
