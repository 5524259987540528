import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, minorUnitDigits, sumOf } from '#libs/core';
import type { PriceSnapshot } from './charges.js';
import type { MeasuredCharge } from './charge-lines.js';
import { computeInvoice } from './invoice.js';

const month = { start: '2023-11-16T00:00:00.000Z', end: '2023-12-16T00:00:00.000Z' };

const fee = (priceId: string, amount: string, more: Partial<PriceSnapshot> = {}): MeasuredCharge => ({
  price: {
    priceId,
    version: 1,
    name: `Fee ${priceId}`,
    config: { model: 'flat', amount, currency: 'USD' },
    cadence: 'monthly',
    timing: 'in_advance',
    metricId: null,
    ...more,
  },
  service: month,
  period: month,
});

const usage = (
  priceId: string,
  unitPrice: string,
  groups: { key: string | null; quantity: string }[],
  currency = 'USD',
): MeasuredCharge => ({
  price: {
    priceId,
    version: 2,
    name: `Usage ${priceId}`,
    config: { model: 'unit', unitPrice, currency },
    cadence: 'usage_based',
    timing: 'in_arrears',
    metricId: 'met_1',
  },
  service: month,
  period: month,
  usage: {
    metricVersion: 3,
    groupBy: groups.some(({ key }) => key !== null) ? ['region', 'kind'] : [],
    groups: groups.map(({ key, quantity }) => {
      const [region, kind] = key?.split('|') ?? [];
      return { values: { ...(region && { region }), ...(kind && { kind }) }, quantity, watermark: '41' };
    }),
  },
});

const invoice = (...charges: MeasuredCharge[]) =>
  computeInvoice({ invoiceId: 'inv_1', currency: 'USD', charges });
const amounts = (...charges: MeasuredCharge[]) => invoice(...charges).lines.map((line) => line.amount);

describe('computeInvoice', () => {
  it('writes a fee as one unit of its period', () => {
    expect(invoice(fee('price_a', '20'))).toEqual({
      currency: 'USD',
      subtotal: '20.00',
      discounts: [],
      taxes: [],
      credits: [],
      total: '20.00',
      excess: '0.00',
      lines: [
        {
          id: expect.stringMatching(/^line_[0-9A-HJKMNP-TV-Z]{26}$/),
          type: 'flat',
          description: 'Fee price_a',
          priceId: 'price_a',
          priceVersion: 1,
          quantity: '1',
          amount: '20.00',
          periodStart: month.start,
          periodEnd: month.end,
        },
      ],
    });
  });

  it('writes usage with its quantity, price, metric and watermark', () => {
    expect(invoice(usage('price_b', '0.0000025', [{ key: null, quantity: '18059974' }])).lines).toEqual([
      {
        id: expect.any(String),
        type: 'usage',
        description: 'Usage price_b',
        metricId: 'met_1',
        metricVersion: 3,
        priceId: 'price_b',
        priceVersion: 2,
        usageWatermark: '41',
        quantity: '18059974',
        unitPrice: '0.0000025',
        amount: '45.15',
        periodStart: month.start,
        periodEnd: month.end,
      },
    ]);
  });

  it('writes a line for each group, rounded by itself', () => {
    const { lines, total } = invoice(
      usage('price_b', '0.005', [
        { key: 'eu|gpu', quantity: '1' },
        { key: 'us|gpu', quantity: '1' },
      ]),
    );
    expect(lines.map(({ group, amount, description }) => [group, amount, description])).toEqual([
      ['eu|gpu', '0.01', 'Usage price_b (eu|gpu)'],
      ['us|gpu', '0.01', 'Usage price_b (us|gpu)'],
    ]);
    expect(total).toBe('0.02');
  });

  it('keeps a line for a metric that was not used, and none for groups that are not there', () => {
    expect(amounts(usage('price_b', '1', [{ key: null, quantity: '0' }]))).toEqual(['0.00']);
    expect(invoice(usage('price_b', '1', []))).toMatchObject({ lines: [], total: '0.00' });
  });

  it('counts a fee by unit price as one unit', () => {
    const seat = fee('price_c', '0', { config: { model: 'unit', unitPrice: '12.5', currency: 'USD' } });
    expect(invoice(seat).lines[0]).toMatchObject({
      type: 'flat',
      quantity: '1',
      unitPrice: '12.5',
      amount: '12.50',
    });
  });

  it('prorates a fee in arrears that is cut, and says of what it is a share', () => {
    const cut = { ...fee('price_a', '100'), service: { ...month, end: '2023-11-28T00:00:00.000Z' } };
    expect(invoice(cut).lines[0]).toMatchObject({
      amount: '40.00',
      periodEnd: '2023-11-28T00:00:00.000Z',
      proratedFrom: month,
      description: 'Fee price_a (part of the period)',
    });
  });

  it('does not prorate usage that is cut', () => {
    const cut = {
      ...usage('price_b', '2', [{ key: null, quantity: '3' }]),
      service: { ...month, end: '2023-11-17T00:00:00.000Z' },
    };
    expect(amounts(cut)).toEqual(['6.00']);
  });

  it('writes a one-time price with its own type', () => {
    const setup = {
      ...fee('price_d', '5', { cadence: 'one_time' }),
      service: { start: month.start, end: month.start },
    };
    expect(invoice({ ...setup, period: setup.service }).lines[0]).toMatchObject({
      type: 'one_time',
      amount: '5.00',
    });
  });

  it('rounds half away from zero to the minor unit of the currency', () => {
    const yen = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'JPY',
      charges: [usage('price_b', '0.5', [{ key: null, quantity: '5' }], 'JPY')],
    });
    expect(yen).toMatchObject({ total: '3', lines: [{ amount: '3' }] });
  });

  it('charges nothing for usage that corrections outweigh, and says the quantity', () => {
    const { lines, total } = invoice(
      usage('price_b', '1', [{ key: null, quantity: '-3' }]),
      fee('price_a', '20'),
    );
    expect(lines.map(({ quantity, amount }) => [quantity, amount])).toEqual([
      ['-3', '0.00'],
      ['1', '20.00'],
    ]);
    expect(total).toBe('20.00');
  });

  it('names lines by what they charge for', () => {
    const charge = usage('price_b', '1', [
      { key: 'eu|gpu', quantity: '1' },
      { key: 'us|gpu', quantity: '1' },
    ]);
    const ids = invoice(charge).lines.map((line) => line.id);
    expect(invoice(charge).lines.map((line) => line.id)).toEqual(ids);
    const elsewhere = computeInvoice({ invoiceId: 'inv_2', currency: 'USD', charges: [charge] });
    expect(new Set([...ids, ...elsewhere.lines.map((line) => line.id)]).size).toBe(4);
  });

  it('refuses a price in another currency, and a metered price without its usage', () => {
    expect(() =>
      computeInvoice({ invoiceId: 'inv_1', currency: 'EUR', charges: [fee('price_a', '1')] }),
    ).toThrow(/price_a is in USD/);
    const { usage: _, ...unmeasured } = usage('price_b', '1', []);
    expect(() => invoice(unmeasured)).toThrow(/usage is missing/);
  });
});

describe('any invoice', () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: 0, max: 12 }))
    .map(([digits, scale]) => new Decimal(digits.toString()).div(new Decimal(10).pow(scale)).toFixed());
  const drawn = fc.array(fc.tuple(decimals, decimals), { maxLength: 8 });
  const currencies = fc.constantFrom('USD', 'JPY', 'KWD');
  const make = (currency: string, pairs: [string, string][]) =>
    pairs.map(([unitPrice, quantity], i) =>
      usage(`price_${i}`, unitPrice, [{ key: null, quantity }], currency),
    );

  it('totals the lines as printed, and is at most half a minor unit a line from the exact sum', () => {
    fc.assert(
      fc.property(currencies, drawn, (currency, pairs) => {
        const { lines, total } = computeInvoice({
          invoiceId: 'inv_1',
          currency,
          charges: make(currency, pairs),
        });
        expect(new Decimal(total).eq(sumOf(lines.map((line) => line.amount)))).toBe(true);
        const exact = sumOf(pairs.map(([unitPrice, quantity]) => new Decimal(unitPrice).times(quantity)));
        const half = new Decimal(10).pow(-minorUnitDigits(currency)).div(2).times(pairs.length);
        expect(exact.minus(total).abs().lte(half)).toBe(true);
      }),
    );
  });

  it('has the same total in whatever order its charges come', () => {
    const shuffled = drawn.chain((pairs) =>
      fc.tuple(fc.constant(pairs), fc.shuffledSubarray(pairs, { minLength: pairs.length })),
    );
    fc.assert(
      fc.property(currencies, shuffled, (currency, [pairs, other]) => {
        const totalOf = (of: [string, string][]) =>
          computeInvoice({ invoiceId: 'inv_1', currency, charges: make(currency, of) }).total;
        expect(totalOf(other)).toBe(totalOf(pairs));
      }),
    );
  });
});
