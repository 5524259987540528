import { describe, expect, it } from '@jest/globals';
import { Decimal } from '#libs/kernel/core';
import { parsePriceConfig, priceUsage, tallyEvents } from '#libs/rating';
import { tierText } from './tier-text.js';

const textsOf = (input: object, quantity: string, ...amounts: string[]) => {
  const result = parsePriceConfig({ ...input, currency: 'USD' });
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  const events = amounts.length > 0 ? { events: tallyEvents(result.config, amounts) } : {};
  const { tiers = [] } = priceUsage(result.config, { quantity: new Decimal(quantity), ...events });
  return tiers.map((tier, i) => tierText(tier, i === 0, 'USD', 'en'));
};

const STAIRS = {
  model: 'stairstep',
  tiers: [
    { upTo: 1000, flatAmount: 10 },
    { upTo: null, flatAmount: 99 },
  ],
};

describe('tiers in words', () => {
  it.each<[string, object, string, string[]]>([
    [
      'graduated',
      {
        model: 'graduated',
        tiers: [
          { upTo: 1000, unitPrice: 0.1 },
          { upTo: null, unitPrice: 0.05, flatAmount: 10 },
        ],
      },
      '1100',
      ['Up to 1,000: 1,000 × $0.10', 'Above: 100 × $0.05 + $10.00'],
    ],
    [
      'a tiny unit',
      { model: 'volume', tiers: [{ upTo: null, unitPrice: 0.00000015 }] },
      '7000000',
      ['7,000,000 × $0.15 per\u00a01,000,000'],
    ],
    ['volume', { model: 'volume', tiers: [{ upTo: null, unitPrice: 2 }] }, '7', ['7 × $2.00']],
    [
      'package',
      { model: 'package', packageSize: 1000, packagePrice: 5, freeUnits: 10 },
      '1011',
      ['Free: 10', '1,001 in 2 packages of 1,000 × $5.00'],
    ],
    ['percentage', { model: 'percentage', rate: 1.5 }, '2000', ['1.5% of 2,000']],
    ['stairstep', STAIRS, '900', ['Up to 1,000: 900']],
    ['stairstep above all bounds', STAIRS, '1100', ['For 1,100']],
    [
      'graduated by flat amounts',
      { ...STAIRS, model: 'graduated' },
      '1100',
      ['Up to 1,000: 1,000', 'Above: 100'],
    ],
    ['included', { model: 'unit', unitPrice: 1, includedUnits: 5 }, '6', ['Free: 5', 'Above: 1 × $1.00']],
  ])('%s', (_, config, quantity, texts) => {
    expect(textsOf(config, quantity)).toEqual(texts);
  });

  it('count events', () => {
    const config = { model: 'percentage', rate: 1.5, fixedFee: 0.3, freeEvents: 1 };
    expect(textsOf(config, '300', '100', '200')).toEqual([
      'Free: 100 in 1 event',
      '1.5% of 200 in 1 event + $0.30 each',
    ]);
  });
});
