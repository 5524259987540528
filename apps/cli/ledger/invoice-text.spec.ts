import { expect, it } from '@jest/globals';
import { invoiceOf, sampleEvents } from '../../../test/support/sample-invoice.js';
import { invoiceText } from './invoice-text.js';

const september = { periodStart: '2026-09-01T00:00:00.000Z', periodEnd: '2026-10-01T00:00:00.000Z' };
const october = { periodStart: september.periodEnd, periodEnd: '2026-11-01T00:00:00.000Z' };
const price = (priceId: string) => ({ priceId, priceVersion: 2 });
const applied = { redemptionId: 'red_1', discount: { type: 'percentage', percent: '10' } as const };

it('shows each line with its window, tiers, coupons and taxes, then the sums, within 80 characters', () => {
  const created = sampleEvents.created({
    ...september,
    currency: 'USD',
    lines: [
      {
        ...price('price_tokens'),
        ...september,
        id: 'line_1',
        type: 'usage',
        description: 'Tokens (large)',
        usageWatermark: '3000',
        quantity: '3741598',
        tiers: [
          { upTo: '1000000', quantity: '1000000', unitPrice: '0.00002', amount: '20' },
          { upTo: null, quantity: '2741598', unitPrice: '0.000012', amount: '32.899176' },
        ],
        amount: '52.90',
        discount: '5.29',
        taxRateIds: [],
      },
      {
        ...price('price_calls'),
        ...september,
        id: 'line_2',
        type: 'usage',
        usageWatermark: '3000',
        description: `Calls of the customer ${'with a very long name '.repeat(3)}in the region of Europe`,
        quantity: '2000.5',
        unitPrice: '0.002',
        amount: '4.00',
        taxRateIds: ['tax_1'],
      },
      {
        ...price('price_fee'),
        ...october,
        id: 'line_3',
        type: 'flat',
        description: 'Platform fee',
        quantity: '1',
        amount: '1049.00',
      },
    ],
    discounts: [{ ...applied, couponId: 'WELCOME10', name: 'Welcome discount', amount: '5.29' }],
    taxes: [
      {
        taxRateId: 'tax_1',
        name: 'Sales tax',
        percentage: '8.875',
        inclusive: false,
        taxable: '1053.00',
        amount: '93.45',
      },
    ],
    taxRateIds: ['tax_1'],
    total: '1194.06',
  });
  const text = [...invoiceText({ ...invoiceOf(created), balanceApplied: '5.00' })].join('');
  expect(text).toBe(`Invoice inv_1, draft, USD
  for 2026-09-01T00:00:00Z to 2026-10-01T00:00:00Z
    Tokens (large)                                                        52.90
      price_tokens, version 2
      usage from 2026-09-01T00:00:00Z to 2026-10-01T00:00:00Z
      of the usage log up to 3000
      Up to 1,000,000: 1,000,000 × $20.00 per\u00a01,000,000 = 20
      Above: 2,741,598 × $12.00 per\u00a01,000,000 = 32.899176
      less 5.29 by coupon WELCOME10
      not taxed
    Calls of the customer with a very long name with a very long name      4.00
    with a very long name in the region of Europe
      price_calls, version 2
      usage from 2026-09-01T00:00:00Z to 2026-10-01T00:00:00Z
      of the usage log up to 3000
      2,000.5 × 0.002
      taxed with Sales tax
    Platform fee                                                       1,049.00
      price_fee, version 2
      from 2026-10-01T00:00:00Z to 2026-11-01T00:00:00Z
      taxed with Sales tax
    Subtotal                                                           1,105.90
    Welcome discount (coupon WELCOME10)                                   -5.29
    Sales tax 8.875% on 1,053.00                                          93.45
    Total                                                              1,194.06
    Of that from the customer's balance                                    5.00

`);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});
