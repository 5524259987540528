import { describe, expect, it } from '@jest/globals';
import { BILLING_DEFAULTS, type Invoice, type InvoiceEvent } from '#libs/contexts/invoicing';
import {
  invoiceOf,
  sampleEvents,
  sampleAddress,
  sampleSeller,
} from '../../../../test/support/sample-invoice.js';
import { eInvoiceOf } from '../e-invoice/e-invoice-of.js';
import { invoiceView } from './invoice-view.js';

const of = { priceId: 'price_1', priceVersion: 1, quantity: '1', amount: '10.00' };
const period = { periodStart: '2023-11-16T00:00:00.000Z', periodEnd: '2023-12-16T00:00:00.000Z' };
const seat = { ...of, ...period, nameTranslations: { de: 'Plätze', ja: '席' } };

/** An invoice in a language, with translated names of prices, a plan, a coupon and a credit type. */
function invoiceIn(language: 'de' | 'ja' | 'fr', ...more: InvoiceEvent[]): Invoice {
  const created = sampleEvents.created({
    settings: { ...BILLING_DEFAULTS, language, seller: sampleSeller },
    currency: 'EUR',
    billToAddress: sampleAddress,
    subscriptionId: null,
    parts: [{ subscriptionId: 'sub_1', planName: 'Pro', planNameTranslations: { de: 'Profi' }, ...period }],
    lines: [
      { ...seat, id: 'a', subscriptionId: 'sub_1', type: 'flat', description: 'Seats (part of the period)' },
      {
        ...seat,
        id: 'b',
        subscriptionId: 'sub_1',
        type: 'usage',
        description: 'Seats (x)',
        group: 'x',
        dimensions: [{ property: 'size', value: 'x' }],
      },
    ],
    discounts: [
      {
        redemptionId: 'red_1',
        couponId: 'HI',
        name: 'Welcome',
        nameTranslations: { de: 'Willkommen' },
        discount: { type: 'percentage', percent: '10' },
        amount: '2.00',
      },
    ],
    taxes: [
      {
        taxRateId: 'tax_1',
        name: 'MwSt.',
        percentage: '19',
        inclusive: false,
        taxable: '18.00',
        amount: '3.42',
      },
    ],
    total: '21.42',
    creditsUsed: [
      {
        creditType: 'ai',
        creditTypeName: 'Credits',
        creditTypeNameTranslations: { de: 'Guthaben' },
        metricId: 'met_1',
        metricName: 'Tokens',
        metricNameTranslations: { de: 'Zeichen' },
        credits: '5',
      },
    ],
  });
  return invoiceOf(created, sampleEvents.opened(), ...more);
}

describe('the names on a document', () => {
  it('are in its language, with the notes and groups of the lines', () => {
    const { lines, totals, creditsUsed } = invoiceView(invoiceIn('de'), null);
    expect(lines.map(({ description }) => description)).toEqual(['Plätze (anteilig)', 'Plätze · x']);
    expect(lines[0]!.heading!.text).toBe('Profi');
    expect(totals[1]!.label).toBe('Willkommen');
    expect(creditsUsed).toEqual([{ description: 'Zeichen, Guthaben', credits: '5 Credits' }]);
  });

  it('are those of the catalog in a language that has none', () => {
    const { lines, totals } = invoiceView(invoiceIn('fr'), null);
    expect(lines.map(({ description }) => description)).toEqual(['Seats (au prorata)', 'Seats · x']);
    expect(lines[0]!.heading!.text).toBe('Pro');
    expect(totals[1]!.label).toBe('Welcome');
  });

  it('are in its language in the e-invoice too', () => {
    const { lines, allowances } = eInvoiceOf(invoiceIn('de'));
    expect(lines.map(({ name, note }) => [name, note])).toEqual([
      ['Plätze (anteilig)', 'Profi'],
      ['Plätze · x', 'Profi'],
    ]);
    expect(allowances).toMatchObject([{ reason: 'Willkommen' }]);
  });
});
