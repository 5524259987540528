import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, minorUnitDigits, sumOf } from '#libs/kernel/core';
import type { PriceSnapshot } from './charges.js';
import type { MeasuredCharge } from './charge-lines.js';
import { computeInvoice } from './invoice.js';
import { divideAtPeriodBoundaries } from './proration.js';
import { refunded } from '../../test/support/refunded.js';

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

  it('writes one line for each group, rounded separately', () => {
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

  it('keeps a line for an unused metric, but none for missing groups', () => {
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

  it('prorates a shortened fee in arrears, and names its full period', () => {
    const cut = { ...fee('price_a', '100'), service: { ...month, end: '2023-11-28T00:00:00.000Z' } };
    expect(invoice(cut).lines[0]).toMatchObject({
      amount: '40.00',
      periodEnd: '2023-11-28T00:00:00.000Z',
      proratedFrom: month,
      description: 'Fee price_a (part of the period)',
    });
  });

  it('does not prorate usage of a shortened period', () => {
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

  it('charges nothing if corrections exceed the usage, and shows the quantity', () => {
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

  it('derives line ids from the content of the charge', () => {
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

describe('the bounds of a price', () => {
  const bounded = (groups: string[], bounds: object, more: Partial<MeasuredCharge> = {}): MeasuredCharge => {
    const charge = usage(
      'price_b',
      '1',
      groups.map((quantity, i) => ({ key: `g${i}|k`, quantity })),
    );
    return { ...charge, ...more, price: { ...charge.price, config: { ...charge.price.config, ...bounds } } };
  };
  const linesOf = (charge: MeasuredCharge) =>
    invoice(charge).lines.map(({ type, amount, amountBeforeMaximum }) => [type, amount, amountBeforeMaximum]);

  it('reduce all groups together to the maximum, in proportion', () => {
    expect(linesOf(bounded(['60', '40'], { maximumAmount: '50.01' }))).toEqual([
      ['usage', '30.01', '60.00'],
      ['usage', '20.00', '40.00'],
    ]);
    expect(linesOf(bounded(['60', '40'], { maximumAmount: '100' }))).toEqual([
      ['usage', '60.00', undefined],
      ['usage', '40.00', undefined],
    ]);
  });

  it('add a line for the amount missing to the minimum, which is reduced for a part of a period', () => {
    expect(linesOf(bounded(['60'], { minimumAmount: '100' }))).toEqual([
      ['usage', '60.00', undefined],
      ['minimum', '40.00', undefined],
    ]);
    const cut = { service: { ...month, end: '2023-11-28T00:00:00.000Z' } };
    expect(invoice(bounded(['10'], { minimumAmount: '100' }, cut)).lines[1]).toMatchObject({
      type: 'minimum',
      description: 'Usage price_b (up to the minimum)',
      amount: '30.00',
      proratedFrom: month,
    });
    expect(linesOf(bounded(['40'], { minimumAmount: '100' }, cut))).toHaveLength(1);
  });

  it('also apply without usage', () => {
    expect(linesOf(bounded([], { minimumAmount: '5' }))).toEqual([['minimum', '5.00', undefined]]);
  });

  it('apply to a fee for its whole period, and to the share of a part or a give-back', () => {
    const seats = (quantity: string, bounds: object, more: Partial<MeasuredCharge> = {}) => {
      const config = { model: 'unit', unitPrice: '10', currency: 'USD', ...bounds } as const;
      const charged = fee('price_a', '0', { config });
      return invoice({ ...charged, quantity, service: month, period: month, ...more }).lines;
    };
    const half = { service: { ...month, start: '2023-12-01T00:00:00.000Z' } };
    expect(seats('10', { maximumAmount: '50' })).toMatchObject([
      { type: 'flat', amount: '50.00', amountBeforeMaximum: '100.00' },
    ]);
    expect(seats('10', { maximumAmount: '50' }, half)).toMatchObject([
      { type: 'flat', amount: '25.00', amountBeforeMaximum: '50.00' },
    ]);
    expect(seats('10', { maximumAmount: '50' }, { ...half, ...refunded('50', month) })).toMatchObject([
      { type: 'credit', amount: '-25.00' },
    ]);
    expect(seats('1', { minimumAmount: '50' })).toMatchObject([
      { type: 'flat', amount: '50.00', amountBeforeMinimum: '10.00' },
    ]);
    expect(seats('1', { minimumAmount: '50' }, { ...half, ...refunded('50', month) })).toMatchObject([
      { type: 'credit', amount: '-25.00' },
    ]);
    expect(seats('5', { minimumAmount: '20', maximumAmount: '50' })[0]).not.toHaveProperty(
      'amountBeforeMaximum',
    );
  });

  it('apply group by group up to the limit of an invoice, then together, with the same charge', () => {
    const groups = (count: number, name = 'user') =>
      Array.from({ length: count }, (_, i) => ({ key: `${name}${i}`, quantity: '1.5' }));
    const [few, many] = [usage('price_a', '1', groups(40)), usage('price_b', '0.01', groups(1_000))];
    const { lines, subtotal } = invoice(few, many);
    expect(lines).toHaveLength(41);
    expect(lines.at(-1)).toMatchObject({
      description: 'Usage price_b (all groups together)',
      quantity: '1500',
      // Each group's 0.015 is rounded by itself.
      amount: '20.00',
    });
    expect(subtotal).toBe('80.00');
    expect(invoice(many).lines).toHaveLength(1_000);
    // An append is at most a mebibyte.
    const long = invoice(usage('price_a', '1', groups(900, 'x'.repeat(15_000))));
    expect(JSON.stringify(long).length).toBeLessThan(600_000);
    expect(long.subtotal).toBe('1350.00');
    const shared = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'USD',
      charges: [],
      parts: ['sub_1', 'sub_2'].map((subscriptionId) => ({ subscriptionId, charges: [many] })),
    });
    expect(shared.lines.map(({ amount }) => amount)).toEqual(['20.00', '20.00']);
    const named = invoice(usage('price_a', '1', groups(3, 'y'.repeat(300))));
    expect(named.lines.map(({ group }) => group?.length)).toEqual([200, 200, 200]);
    expect(new Set(named.lines.map(({ id }) => id)).size).toBe(3);
  });

  it('give included units to each group', () => {
    expect(linesOf(bounded(['60', '40'], { includedUnits: '50' }))).toEqual([
      ['usage', '10.00', undefined],
      ['usage', '0.00', undefined],
    ]);
  });
});

describe('the models on an invoice', () => {
  it('name the tiers that priced a quantity', () => {
    const tiers = [
      { upTo: '10', unitPrice: '1' },
      { upTo: null, unitPrice: '0.5', flatAmount: '2' },
    ];
    const charge = usage('price_b', '0', [{ key: null, quantity: '15' }]);
    const config = { model: 'graduated', tiers, currency: 'USD' } as const;
    expect(invoice({ ...charge, price: { ...charge.price, config } }).lines[0]).toMatchObject({
      quantity: '15',
      amount: '14.50',
      tiers: [
        { upTo: '10', quantity: '10', amount: '10' },
        { upTo: null, quantity: '5', amount: '4.5' },
      ],
    });
  });

  it('find a group in a matrix', () => {
    const charge = usage('price_b', '0', [
      { key: 'eu|gpu', quantity: '10' },
      { key: 'us|gpu', quantity: '10' },
    ]);
    const config = {
      model: 'matrix',
      dimensions: ['kind', 'region'],
      cells: [{ values: ['gpu', 'eu'], unitPrice: '3' }],
      defaultUnitPrice: '1',
      currency: 'USD',
    } as const;
    const { lines } = invoice({ ...charge, price: { ...charge.price, config } });
    expect(lines.map(({ unitPrice, amount }) => [unitPrice, amount])).toEqual([
      ['3', '30.00'],
      ['1', '10.00'],
    ]);
  });

  it('count seats, and prorate them', () => {
    const seats = fee('price_s', '0', { config: { model: 'license', unitPrice: '12', currency: 'USD' } });
    expect(invoice({ ...seats, quantity: '5' }).lines[0]).toMatchObject({
      type: 'flat',
      quantity: '5',
      unitPrice: '12',
      amount: '60.00',
    });
    const cut = { ...seats, quantity: '5', service: { ...month, start: '2023-11-28T00:00:00.000Z' } };
    expect(amounts(cut)).toEqual(['36.00']);
  });

  it('distinguish groups with the same printed name', () => {
    const charge = usage('price_b', '1', [{ key: 'a|b', quantity: '1' }]);
    const alike: Record<string, string>[] = [{ region: 'a|b' }, { region: 'a', kind: 'b' }];
    const groups = alike.map((values) => ({
      ...charge.usage!.groups[0]!,
      values,
    }));
    const { lines } = invoice({ ...charge, usage: { ...charge.usage!, groups } });
    expect(new Set(lines.map(({ id }) => id)).size).toBe(2);
  });
});

describe('discounts and taxes', () => {
  const ten = { couponId: 'c', discount: { type: 'percentage', percent: '10' } } as const;
  const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive: false };

  it('come in the order of lines, coupons, taxes', () => {
    const computed = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'USD',
      charges: [fee('price_a', '60'), fee('price_b', '40')],
      coupons: [
        { couponId: 'flat', discount: { type: 'fixed', amount: '4', currency: 'USD' } },
        { ...ten, priceIds: ['price_b'] },
      ],
      taxRates: [vat],
    });
    expect(computed).toMatchObject({
      subtotal: '100.00',
      discounts: [
        { couponId: 'c', amount: '4.00' },
        { couponId: 'flat', amount: '4.00' },
      ],
      taxes: [{ taxRateId: 'tax_1', taxable: '92.00', amount: '17.48' }],
      total: '109.48',
      excess: '0.00',
    });
    expect(computed.lines.map(({ discount }) => discount)).toEqual(['2.50', '5.50']);
    expect(computed.lines[0]).not.toHaveProperty('discountedBy');
    expect(computed.lines[1]!.discountedBy).toEqual([
      { couponId: 'c', amount: '4.00' },
      { couponId: 'flat', amount: '1.50' },
    ]);
  });

  it('give a net credit to the balance, with its taxes', () => {
    const given = { ...fee('price_a', '100'), ...refunded('100', month) };
    const charges = [given, fee('price_b', '40')];
    const { total, excess } = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'USD',
      charges,
      taxRates: [vat],
    });
    expect([total, excess]).toEqual(['0.00', '71.40']);
  });
});

describe('the parts of a period', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 30 * 86_400_000 - 1 }), { maxLength: 6 });
  const partsOf = (offsets: number[], charge: MeasuredCharge): MeasuredCharge[] => {
    const start = Date.parse(month.start);
    const at = [...new Set([0, ...offsets])]
      .sort((a, b) => a - b)
      .map((offset) => new Date(start + offset).toISOString());
    return at.map((from, i) => ({ ...charge, service: { start: from, end: at[i + 1] ?? month.end } }));
  };

  it('sum to the whole, to the cent', () => {
    fc.assert(
      fc.property(cuts, fc.nat(10 ** 6), fc.constantFrom('USD', 'JPY', 'KWD'), (offsets, n, currency) => {
        const config = { model: 'license', unitPrice: new Decimal(n).div(1000).toFixed(), currency } as const;
        const whole = { ...fee('price_a', '0', { config }), quantity: '3' };
        const totalOf = (charges: MeasuredCharge[]) =>
          computeInvoice({ invoiceId: 'inv_1', currency, charges }).total;
        expect(totalOf(partsOf(offsets, whole))).toBe(totalOf([whole]));
      }),
    );
  });

  it('also sum to the whole if it ends in half a cent', () => {
    // The shares have endless decimals. Their sum would be slightly less than 2999.955.
    const config = { model: 'license', unitPrice: '999.985', currency: 'USD' } as const;
    const whole = { ...fee('price_a', '0', { config }), quantity: '3' };
    expect(invoice(...partsOf([1295306408, 23], whole)).total).toBe('2999.96');
  });

  it('sum to the whole together with the give-back of the rest, for any single cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 * 86_400_000 - 1 }), fc.nat(10 ** 6), (offset, cents) => {
        const price = new Decimal(cents).div(100).toFixed(2);
        const [, rest] = partsOf([offset], { ...fee('price_a', price), ...refunded(price, month) });
        const { excess } = invoice(rest!);
        expect(new Decimal(excess).lte(price)).toBe(true);
      }),
    );
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

  it('has the sum of the printed lines as its total, at most half a minor unit a line from the exact sum', () => {
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

  it('has the same total for any order of its charges', () => {
    const shuffled = drawn.chain((pairs) =>
      fc.tuple(fc.constant(pairs), fc.shuffledSubarray(pairs, { minLength: pairs.length })),
    );
    const more = {
      coupons: [{ couponId: 'c', discount: { type: 'percentage', percent: '12.5' } }],
      taxRates: [{ taxRateId: 't', name: 'VAT', percentage: '19', inclusive: false }],
    } as const;
    fc.assert(
      fc.property(currencies, shuffled, (currency, [pairs, other]) => {
        const totalOf = (of: [string, string][]) =>
          computeInvoice({ invoiceId: 'inv_1', currency, charges: make(currency, of), ...more }).total;
        expect(totalOf(other)).toBe(totalOf(pairs));
      }),
    );
  });

  it('has the same total in any time zone, for the same time range', () => {
    const zones = ['UTC', 'Pacific/Auckland', 'America/Los_Angeles'];
    const instants = fc.integer({ min: Date.parse(month.start) + 1, max: Date.parse(month.end) - 1 });
    fc.assert(
      fc.property(instants, fc.nat(10 ** 6), (millis, cents) => {
        const service = { start: new Date(millis).toISOString(), end: month.end };
        const totals = zones.map((timezone) => {
          const segments = divideAtPeriodBoundaries({ anchor: month.start, timezone }, 'monthly', service);
          const charge = fee('price_a', new Decimal(cents).div(100).toFixed());
          return invoice(...segments.map((segment) => ({ ...charge, ...segment, period: month }))).total;
        });
        expect(new Set(totals).size).toBe(1);
      }),
    );
  });

  it('has no negative amounts, and all printed amounts sum up', () => {
    const cents = fc.nat(10 ** 6).map((n) => new Decimal(n).div(100).toFixed(2));
    const charge = fc.tuple(cents, fc.boolean());
    const taxes = fc.array(fc.tuple(fc.nat(30), fc.boolean()), { maxLength: 2 });
    fc.assert(
      fc.property(fc.array(charge, { maxLength: 5 }), fc.nat(100), taxes, (given, percent, rates) => {
        const computed = computeInvoice({
          invoiceId: 'inv_1',
          currency: 'USD',
          charges: given.map(([amount, back], i) => ({
            ...fee(`price_${i}`, amount),
            ...(back ? refunded(amount, month) : {}),
          })),
          coupons: [{ couponId: 'c', discount: { type: 'percentage', percent: String(percent) } }],
          taxRates: rates.map(([n, inclusive], i) => ({
            taxRateId: String(i),
            name: 'T',
            percentage: String(n),
            inclusive,
          })),
        });
        const sum = (of: readonly { amount: string }[]) => sumOf(of.map(({ amount }) => amount));
        const added = sum(computed.taxes.filter(({ inclusive }) => !inclusive));
        const due = sum(computed.lines).minus(sum(computed.discounts)).plus(added);
        expect(due.eq(new Decimal(computed.total).minus(computed.excess))).toBe(true);
        expect(new Decimal(computed.total).gte(0) && new Decimal(computed.excess).gte(0)).toBe(true);
      }),
    );
  });
});
