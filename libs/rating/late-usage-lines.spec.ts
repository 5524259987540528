import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import type { MeasuredUsage } from './charge-lines.js';
import type { PriceSnapshot } from './charges.js';
import { lateUsageLines, type LateUsage } from './late-usage-lines.js';
import type { PriceConfig } from './pricing/index.js';
import { PRORATION_BY_TIME } from './proration.js';

const month = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };

const GRADUATED: PriceConfig = {
  model: 'graduated',
  currency: 'USD',
  tiers: [
    { upTo: '100', unitPrice: '0.1' },
    { upTo: null, unitPrice: '0.05' },
  ],
} as unknown as PriceConfig;

const priceOf = (config: PriceConfig): PriceSnapshot => ({
  priceId: 'price_1',
  version: 2,
  name: 'Calls',
  config,
  cadence: 'usage_based',
  timing: 'in_arrears',
  metricId: 'met_1',
});

const measured = (quantities: string | Record<string, string>, watermark: string): MeasuredUsage =>
  typeof quantities === 'string'
    ? { metricVersion: 3, groupBy: [], groups: [{ values: {}, quantity: quantities, watermark }] }
    : {
        metricVersion: 3,
        groupBy: ['region'],
        groups: Object.entries(quantities).map(([region, quantity]) => ({
          values: { region },
          quantity,
          watermark,
        })),
      };

const late = (
  billed: string | Record<string, string>,
  counted: string | Record<string, string>,
  { atMost = '1000000', config = GRADUATED, ...more }: Partial<LateUsage> & { config?: PriceConfig } = {},
): LateUsage => ({
  charge: { price: priceOf(config), service: month, period: month },
  basis: PRORATION_BY_TIME,
  invoiceId: 'inv_1',
  billed: measured(billed, '41'),
  counted: measured(counted, '99'),
  since: '41',
  watermark: '99',
  atMost,
  ...more,
});

const amountsOf = (...usages: LateUsage[]): string[] =>
  lateUsageLines(usages, 'inv_2').map(({ amount }) => amount);

describe('late usage', () => {
  it('is a line with the difference, and with the data to compute it again', () => {
    expect(lateUsageLines([late('80', '130')], 'inv_2')).toEqual([
      {
        id: expect.stringMatching(/^line_/),
        type: 'late_usage',
        description: 'Calls (late usage)',
        priceId: 'price_1',
        priceVersion: 2,
        metricId: 'met_1',
        metricVersion: 3,
        usageWatermark: '99',
        quantity: '50',
        // 100 × 0.10 + 30 × 0.05, less 80 × 0.10.
        amount: '3.50',
        periodStart: month.start,
        periodEnd: month.end,
        late: {
          invoiceId: 'inv_1',
          usageWatermark: '41',
          billed: '8.00',
          counted: '11.50',
          quantities: [{ billed: '80', counted: '130' }],
        },
      },
    ]);
  });

  it('has an id that is derived from its content, the same as in earlier versions', () => {
    const ids = ['inv_1', 'inv_0'].map(
      (invoiceId) => lateUsageLines([late('80', '130', { invoiceId })], 'inv_2')[0]!.id,
    );
    expect(ids).toEqual(['line_MYPJ5CN9Q2S1EFX52G136GX3VD', 'line_GRH1XFAC2W3RTXV55NXTZQSNNP']);
  });

  it('lists a hundred of the changed groups, and charges for all', () => {
    const groups = (quantity: string) =>
      Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`r${i}`, quantity]));
    const [line] = lateUsageLines([late(groups('1'), groups('2'))], 'inv_2');
    expect(line).toMatchObject({ quantity: '101', amount: '10.10' });
    expect(line!.late!.quantities).toHaveLength(100);
  });

  it('has no line if the cost is unchanged', () => {
    const flat = { model: 'unit', unitPrice: '0.001', currency: 'USD' } as PriceConfig;
    expect(lateUsageLines([late('80', '80'), late('10', '11', { config: flat })], 'inv_2')).toEqual([]);
  });

  it('lists groups that have changed, that are new and that no longer exist', () => {
    const [line] = lateUsageLines(
      [late({ eu: '10', us: '20', ap: '5' }, { eu: '10', us: '25', af: '1' })],
      'inv_2',
    );
    expect(line).toMatchObject({
      // 0.50 more, 0.10 more, 0.50 less.
      amount: '0.10',
      quantity: '1',
      late: {
        quantities: [
          { group: 'us', billed: '20', counted: '25' },
          { group: 'af', billed: '0', counted: '1' },
          { group: 'ap', billed: '5', counted: '0' },
        ],
      },
    });
  });

  it('applies the price’s bounds to the whole period', () => {
    const bounded = { ...GRADUATED, minimumAmount: '5', maximumAmount: '12' } as PriceConfig;
    expect(amountsOf(late('10', '40', { config: bounded }))).toEqual([]);
    expect(amountsOf(late('10', '80', { config: bounded }))).toEqual(['3.00']);
    expect(amountsOf(late('100', '1000', { config: bounded }))).toEqual(['2.00']);
    expect(amountsOf(late('1000', '10', { config: bounded, atMost: '12.00' }))).toEqual(['-7.00']);
  });

  it('gives back in proportion to the remaining part of the billed amount', () => {
    expect(amountsOf(late('80', '40', { atMost: '8.00' }))).toEqual(['-4.00']);
    expect(amountsOf(late('80', '40', { atMost: '4.00' }))).toEqual(['-2.00']);
    expect(amountsOf(late('80', '40', { atMost: '0.00' }))).toEqual([]);
  });

  it('of one time range sums to its cost, whenever late usage is counted, and never below zero', () => {
    const quantity = fc.integer({ min: 0, max: 10 ** 5 }).map((n) => new Decimal(n).div(100).toFixed());
    fc.assert(
      fc.property(fc.array(quantity, { minLength: 2, maxLength: 6 }), (quantities) => {
        const whole = (n: string): Decimal => new Decimal(amountsOf(late('0', n))[0] ?? '0');
        let billed = whole(quantities[0]!);
        for (const [i, n] of quantities.slice(1).entries()) {
          const [amount = '0'] = amountsOf(late(quantities[i]!, n, { atMost: billed.toFixed(2) }));
          billed = sumOf([billed, amount]);
          expect(billed.toFixed(2)).toBe(whole(n).toFixed(2));
          expect(billed.isNegative()).toBe(false);
        }
      }),
    );
  });
});
