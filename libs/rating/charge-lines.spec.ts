import { describe, expect, it } from '@jest/globals';
import { linesOfCharges, type MeasuredCharge } from './charge-lines.js';
import type { PriceSnapshot } from './charges.js';
import { PRORATION_BY_TIME } from './proration.js';
import { refunded } from '../../test/support/refunded.js';

const month = { start: '2026-04-01T00:00:00.000Z', end: '2026-05-01T00:00:00.000Z' };
const half = { start: '2026-04-16T00:00:00.000Z', end: month.end };

const price = (priceId: string, config: PriceSnapshot['config'], metricId: string | null): PriceSnapshot => ({
  priceId,
  version: 1,
  name: priceId,
  config,
  metricId,
  cadence: 'monthly',
  timing: 'in_advance',
});

const seats = (more: Partial<MeasuredCharge> = {}): MeasuredCharge => ({
  price: price('seats', { model: 'license', unitPrice: '12', currency: 'USD' }, null),
  quantity: '5',
  service: month,
  period: month,
  ...more,
});

const base: MeasuredCharge = {
  price: price('base', { model: 'flat', amount: '30', currency: 'USD' }, null),
  service: month,
  period: month,
};

const calls = (
  groups: Record<string, string>[],
  config: object = {},
  more: Partial<MeasuredCharge> = {},
): MeasuredCharge => ({
  price: price('calls', { model: 'unit', unitPrice: '0.5', currency: 'USD', ...config }, 'met_1'),
  service: month,
  period: month,
  usage: {
    metricVersion: 1,
    groupBy: groups.some((values) => Object.keys(values).length > 0) ? ['region', 'kind'] : [],
    groups: groups.map((values) => ({ values, quantity: '10', watermark: '7' })),
  },
  ...more,
});

const lines = (...charges: MeasuredCharge[]) =>
  linesOfCharges(charges, { invoiceId: 'inv_1', basis: PRORATION_BY_TIME });

describe('the lines of charges', () => {
  it('have no fields without a value', () => {
    expect(lines(base)).toStrictEqual([
      {
        id: expect.any(String),
        type: 'flat',
        description: 'base',
        quantity: '1',
        amount: '30.00',
        priceId: 'base',
        priceVersion: 1,
        periodStart: month.start,
        periodEnd: month.end,
      },
    ]);
  });

  it('name the fee of a give-back, and the line that charged the fee', () => {
    const given = { ...refunded('60', month), service: half };
    const credit = {
      id: expect.any(String),
      type: 'credit',
      priceVersion: 1,
      periodStart: half.start,
      periodEnd: half.end,
      proratedFrom: month,
    };
    expect(lines(seats(given))).toStrictEqual([
      {
        ...credit,
        description: 'seats (unused part of the period)',
        priceId: 'seats',
        quantity: '5',
        unitPrice: '12',
        amount: '-30.00',
        givesBack: [{ invoiceId: 'inv_before', lineId: 'line_before', amount: '30.00' }],
        unused: { invoiceId: 'inv_before', lineId: 'line_before', net: '60', left: '60' },
      },
    ]);
    expect(lines({ ...base, ...given })).toStrictEqual([
      {
        ...credit,
        description: 'base (unused part of the period)',
        priceId: 'base',
        quantity: '1',
        amount: '-15.00',
        givesBack: [{ invoiceId: 'inv_before', lineId: 'line_before', amount: '15.00' }],
        unused: { invoiceId: 'inv_before', lineId: 'line_before', net: '60', left: '60' },
      },
    ]);
  });

  it('need the remaining amount of a fee that is given back', () => {
    const { refund } = refunded('60', month);
    expect(() => lines(seats({ refund }))).toThrow(/fee of price seats, which is given back, is missing/);
  });

  it('charge no base fee for usage of an empty period', () => {
    const tiers = [{ upTo: null, unitPrice: '0', flatAmount: '8' }];
    const instant = { start: half.start, end: half.start };
    const none = calls([{}], { model: 'graduated', tiers }, { service: instant, invoicedBy: ['inv_0'] });
    expect(lines(none)).toEqual([]);
    const { invoicedBy: _, ...alone } = none;
    expect(lines(alone)).toMatchObject([{ amount: '8.00' }]);
    expect(lines({ ...none, service: half })).toMatchObject([{ amount: '8.00' }]);
  });

  it('name a group by all properties, also by a property that its events do not have', () => {
    const groups = lines(calls([{ region: 'eu', kind: 'gpu' }, { kind: 'gpu' }, { region: 'eu' }]));
    expect(groups.map(({ group }) => group)).toEqual(['eu|gpu', '|gpu', 'eu|']);
    expect(groups[1]!.dimensions).toEqual([
      { property: 'region', value: null },
      { property: 'kind', value: 'gpu' },
    ]);
  });

  it('have the type `minimum` for the amount missing to a minimum', () => {
    expect(lines(calls([{}], { minimumAmount: '12' }))[1]).toStrictEqual({
      id: expect.any(String),
      type: 'minimum',
      description: 'calls (up to the minimum)',
      quantity: '1',
      amount: '7.00',
      priceId: 'calls',
      priceVersion: 1,
      periodStart: month.start,
      periodEnd: month.end,
    });
  });

  it('have different ids', () => {
    const given = refunded('60', month);
    const other = { ...given, remainingFee: { ...given.remainingFee, lineId: 'line_other' } };
    const all = lines(
      seats(),
      seats(given),
      seats(other),
      calls([{}], { minimumAmount: '12' }),
      calls([{}, { region: 'undefined' }, { region: 'eu' }, { kind: 'eu' }]),
    );
    expect(all.map(({ type }) => type)).toEqual([
      'flat',
      'credit',
      'credit',
      'usage',
      'minimum',
      'usage',
      'usage',
      'usage',
      'usage',
    ]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(9);
  });

  // An audit recomputes issued invoices and compares them, and credit notes refer to the lines by id.
  it('have the same ids as in earlier versions', () => {
    const all = lines(
      base,
      seats(refunded('60', month)),
      calls([{}], { minimumAmount: '12' }),
      calls([{ kind: 'gpu' }]),
      calls(Array.from({ length: 1_001 }, (_, i) => ({ region: `r${i}` }))),
    );
    expect(all.map(({ id }) => id)).toEqual([
      'line_TF8B0S6SPXQN78KAG7XEA7GF7Y',
      'line_N9QTWFRJ18RMSTDFDHSR9K7A1H',
      'line_DC2W1JW61Y107CD0ETH87XWJC3',
      'line_PHPBZNTZVJNDTY3DJB24PVAEWN',
      'line_WF2AK9B45B2HZQCXKECNBFE06Q',
      'line_AYR4NZ7C987RW8MTZFVASP3EGD',
    ]);
  });
});
