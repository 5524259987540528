import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import type { MeasuredCharge, MeasuredUsage } from './charge-lines.js';
import { computeInvoice } from './invoice.js';
import { lateUsageLines } from './late-usage-lines.js';
import type { PriceConfig } from './pricing/index.js';
import { PRORATION_BY_TIME } from './proration.js';

/* Included units that all groups of a period share. */

const month = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };

/** 0.10 for each unit above the 100 that all groups share. */
const SHARED: PriceConfig = {
  model: 'unit',
  unitPrice: '0.1',
  currency: 'USD',
  includedUnits: '100',
  includedUnitsShared: true,
};

const measured = (quantities: Record<string, string>, watermark = '41'): MeasuredUsage => ({
  metricVersion: 1,
  groupBy: ['region'],
  groups: Object.entries(quantities).map(([region, quantity]) => ({
    values: { region },
    quantity,
    watermark,
  })),
});
const usage = (
  quantities: Record<string, string>,
  config: PriceConfig = SHARED,
  more: Partial<MeasuredCharge> = {},
): MeasuredCharge => ({
  price: {
    priceId: 'price_1',
    version: 1,
    name: 'Calls',
    config,
    metricId: 'met_1',
    cadence: 'usage_based',
    timing: 'in_arrears',
  },
  service: month,
  period: month,
  usage: measured(quantities),
  ...more,
});
const linesOf = (...charges: MeasuredCharge[]) =>
  computeInvoice({ invoiceId: 'inv_1', currency: 'USD', charges }).lines;
/** The number of free units of each line, and the line's amount. */
const free = (...charges: MeasuredCharge[]) =>
  linesOf(...charges).map(({ tiers = [], amount }) => [
    tiers.find((tier) => tier.free)?.quantity ?? '0',
    amount,
  ]);

describe('included units that groups share', () => {
  it('are divided in proportion to the groups, and the last unit goes to the largest remainder', () => {
    // Of 300 units 100 are free: 50, 33.33 and 16.67, which are 50, 33 and 17.
    expect(free(usage({ eu: '150', ap: '100', us: '50' }))).toEqual([
      ['50', '10.00'],
      ['33', '6.70'],
      ['17', '3.30'],
    ]);
  });

  it('go to the earlier of equal groups', () => {
    expect(free(usage({ ap: '60', eu: '60', us: '60' }))).toEqual([
      ['34', '2.60'],
      ['33', '2.70'],
      ['33', '2.70'],
    ]);
  });

  it('make all units free if they are sufficient, and apply to each group without the option', () => {
    expect(free(usage({ eu: '60', us: '40' }))).toEqual([
      ['60', '0.00'],
      ['40', '0.00'],
    ]);
    const { includedUnitsShared: _, ...each } = SHARED;
    expect(free(usage({ eu: '150', ap: '100', us: '50' }, each))).toEqual([
      ['100', '5.00'],
      ['100', '0.00'],
      ['50', '0.00'],
    ]);
  });

  it('are divided to the smallest decimal place of the usage', () => {
    // Of 200 units 100 are free: half of each.
    expect(free(usage({ eu: '150.5', us: '49.5' }))).toEqual([
      ['75.3', '7.52'], // 75.25 has one digit too many; the earlier of equal remainders gets it
      ['24.7', '2.48'],
    ]);
  });

  it('are not given to negative quantities', () => {
    expect(free(usage({ eu: '120', us: '-20' }))).toEqual([
      ['100', '2.00'],
      ['0', '0.00'],
    ]);
  });

  it('are deducted before tiers, packages and a matrix price the rest', () => {
    const shared = { includedUnits: '100', includedUnitsShared: true, currency: 'USD' } as const;
    // 100 units are left of each group: 50 at 1.00 and 50 at 0.50.
    const tiers = [
      { upTo: '50', unitPrice: '1' },
      { upTo: null, unitPrice: '0.5' },
    ];
    expect(free(usage({ eu: '150', us: '150' }, { model: 'graduated', tiers, ...shared }))).toEqual([
      ['50', '75.00'],
      ['50', '75.00'],
    ]);
    // 75 and 25 are left: two started packages of 50, and one.
    const packages = { model: 'package', packageSize: '50', packagePrice: '5', ...shared } as const;
    expect(free(usage({ eu: '150', us: '50' }, packages))).toEqual([
      ['75', '10.00'],
      ['25', '5.00'],
    ]);
    const matrix: PriceConfig = {
      ...shared,
      model: 'matrix',
      dimensions: ['region'],
      defaultUnitPrice: '0.1',
      cells: [{ values: ['eu'], unitPrice: '0.2' }],
    };
    expect(free(usage({ eu: '150', us: '50' }, matrix))).toEqual([
      ['75', '15.00'],
      ['25', '2.50'],
    ]);
  });

  it('are deducted before a maximum and a minimum limit all groups together', () => {
    // 10.00 and 10.00 without them.
    expect(free(usage({ eu: '150', us: '150' }, { ...SHARED, maximumAmount: '12' }))).toEqual([
      ['50', '6.00'],
      ['50', '6.00'],
    ]);
    expect(free(usage({ eu: '150', us: '150' }, { ...SHARED, minimumAmount: '25' }))).toEqual([
      ['50', '10.00'],
      ['50', '10.00'],
      ['0', '5.00'],
    ]);
  });

  it('apply in full to each part of a period', () => {
    const half = '2026-01-16T12:00:00.000Z';
    const parts = [
      { ...usage({ eu: '150', us: '50' }), service: { start: month.start, end: half } },
      { ...usage({ eu: '60', us: '60' }), service: { start: half, end: month.end } },
    ];
    expect(free(...parts)).toEqual([
      ['75', '7.50'],
      ['25', '2.50'],
      ['50', '1.00'],
      ['50', '1.00'],
    ]);
  });

  it('are divided again over the whole usage if a part of it was invoiced before', () => {
    // Of 150 units in one region 50 were charged. Now 100 of 200 units are free, namely 75 and 25.
    const invoiced = { invoiceIds: ['inv_0'], billed: '5.00', atMost: '5.00' };
    expect(linesOf(usage({ eu: '150', us: '50' }, SHARED, { invoiced })).map(({ amount }) => amount)).toEqual(
      ['7.50', '2.50', '-5.00'],
    );
  });

  it('are divided again with late usage, which charges the difference of the whole', () => {
    const { price } = usage({});
    const late = (billed: Record<string, string>, counted: Record<string, string>) =>
      lateUsageLines(
        [
          {
            charge: { price, service: month, period: month },
            basis: PRORATION_BY_TIME,
            invoiceId: 'inv_0',
            billed: measured(billed),
            counted: measured(counted, '99'),
            since: '41',
            watermark: '99',
            atMost: '1000000',
          },
        ],
        'inv_1',
      ).map(({ amount }) => amount);
    // 50 units above the included ones were charged, and now there are 100.
    expect(late({ eu: '150' }, { eu: '150', us: '50' })).toEqual(['5.00']);
    expect(late({ eu: '50' }, { eu: '50', us: '40' })).toEqual([]);
  });

  it('always sum to the included units, and never exceed the usage of a group', () => {
    const quantity = fc.integer({ min: 0, max: 100_000 }).map((n) => new Decimal(n).div(100).toFixed());
    const included = fc.integer({ min: 1, max: 50_000 }).map((n) => new Decimal(n).div(10).toFixed());
    fc.assert(
      fc.property(
        fc.array(quantity, { minLength: 1, maxLength: 8 }),
        included,
        (quantities, includedUnits) => {
          const groups = Object.fromEntries(quantities.map((one, i) => [`r${i}`, one]));
          const parts = free(usage(groups, { ...SHARED, includedUnits })).map(([units]) => units!);
          expect(sumOf(parts).toFixed()).toBe(Decimal.min(sumOf(quantities), includedUnits).toFixed());
          parts.forEach((units, i) => expect(new Decimal(units).lte(quantities[i]!)).toBe(true));
        },
      ),
    );
  });
});
