import { describe, expect, it } from '@jest/globals';
import type { EarlierUsageCharges, MeasuredCharge } from './charge-lines.js';
import { computeInvoice } from './invoice.js';
import type { PriceConfig } from './pricing/index.js';
import { linesWithDiscountableAmounts, amountOfNewUsage, withUsageGivenBack } from './progressive.js';

const month = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };

/** 2.00 for each unit of up to 10 units, and 1.00 for each unit of more. */
const CHEAPER: PriceConfig = {
  model: 'volume',
  currency: 'USD',
  tiers: [
    { upTo: '10', unitPrice: '2' },
    { upTo: null, unitPrice: '1' },
  ],
} as unknown as PriceConfig;

const usage = (
  quantities: Record<string, string>,
  invoiced?: Partial<EarlierUsageCharges>,
): MeasuredCharge => ({
  price: {
    priceId: 'price_1',
    version: 1,
    name: 'Calls',
    config: CHEAPER,
    cadence: 'usage_based',
    timing: 'in_arrears',
    metricId: 'met_1',
  },
  service: month,
  period: month,
  usage: {
    metricVersion: 1,
    groupBy: ['region'],
    groups: Object.entries(quantities).map(([region, quantity]) => ({
      values: { region },
      quantity,
      watermark: '41',
    })),
  },
  ...(invoiced ? { invoiced: { invoiceIds: ['inv_0'], billed: '0.00', atMost: '0.00', ...invoiced } } : {}),
});
const invoice = (charge: MeasuredCharge, couponPercent?: string) =>
  computeInvoice({
    invoiceId: 'inv_1',
    currency: 'USD',
    charges: [charge],
    coupons:
      couponPercent === undefined
        ? []
        : [{ couponId: 'red_1', discount: { type: 'percentage', percent: couponPercent } }],
  });
const amounts = (charge: MeasuredCharge) => invoice(charge).lines.map(({ amount }) => amount);

describe('usage that was invoiced before the end of its period', () => {
  it('is deducted by a separate line, after the lines of its groups', () => {
    const { lines, total } = invoice(usage({ eu: '5', us: '3' }, { billed: '10.00', atMost: '10.00' }));
    expect(lines.map(({ type, amount }) => [type, amount])).toEqual([
      ['usage', '10.00'],
      ['usage', '6.00'],
      ['progressive_credit', '-10.00'],
    ]);
    expect(lines[2]!.invoiced).toEqual({
      invoiceIds: ['inv_0'],
      billed: '10.00',
      counted: '16.00',
      atMost: '10.00',
    });
    expect(total).toBe('6.00');
    expect(amountOfNewUsage(lines).toFixed(2)).toBe('6.00');
    expect(lines[2]).not.toHaveProperty('givesBack');
  });

  it('is given back if it became cheaper, in proportion to its remaining amount', () => {
    expect(amounts(usage({ eu: '12' }, { billed: '20.00', atMost: '20.00' }))).toEqual(['12.00', '-20.00']);
    expect(amounts(usage({ eu: '12' }, { billed: '20.00', atMost: '5.00' }))).toEqual(['12.00', '-14.00']);
    expect(amounts(usage({ eu: '12' }, { billed: '20.00', atMost: '0.00' }))).toEqual(['12.00', '-12.00']);
    const sources = [
      { invoiceId: 'inv_0', lineId: 'line_b', left: '1.50' },
      { invoiceId: 'inv_0', lineId: 'line_a', left: '3.50' },
    ];
    const { lines } = invoice(usage({ eu: '12' }, { billed: '20.00', atMost: '5.00', sources }));
    expect(lines[1]!.givesBack).toEqual([
      { invoiceId: 'inv_0', lineId: 'line_b', amount: '1.50' },
      { invoiceId: 'inv_0', lineId: 'line_a', amount: '0.50' },
    ]);
  });

  it('is given back with the tax that was paid, and deducted with the tax of its invoice', () => {
    const vat = (taxRateId: string, percentage: string) => ({
      taxRateId,
      name: 'VAT',
      percentage,
      inclusive: false,
    });
    const sources = [
      { invoiceId: 'inv_0', lineId: 'line_a', left: '20.00', taxRates: [vat('before', '20')] },
    ];
    const taxRates = [vat('now', '10')];
    const charges = [usage({ eu: '12' }, { billed: '20.00', atMost: '20.00', sources })];
    const { lines, excess } = computeInvoice({ invoiceId: 'inv_1', currency: 'USD', charges, taxRates });
    expect(lines.map(({ amount, taxRateIds }) => [amount, taxRateIds])).toEqual([
      ['12.00', ['now']],
      ['-12.00', ['now']],
      ['-8.00', ['before']],
    ]);
    expect(excess).toBe('9.60');
  });

  it('leads to a line with the deducted invoices, taxed like its price', () => {
    const charge = usage({ eu: '5' }, { billed: '4.00', atMost: '4.00' });
    expect(invoice(charge).lines[1]).toMatchObject({
      id: 'line_YY3JE4QR0Z07SJ3XEWTMSRACW2',
      type: 'progressive_credit',
      description: 'Calls (already invoiced)',
      quantity: '1',
      amount: '-4.00',
      periodStart: month.start,
      periodEnd: month.end,
    });
    const named = { ...charge, price: { ...charge.price, taxRateIds: ['tax_1'] } };
    const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive: false };
    const input = { invoiceId: 'inv_1', currency: 'USD', charges: [named], namedTaxRates: [vat] };
    expect(computeInvoice({ ...input, taxRates: [] }).taxes).toMatchObject([{ taxable: '6.00' }]);
  });

  it.each([
    { priceId: 'price_2' },
    { priceVersion: 2 },
    { periodStart: '2025-12-01T00:00:00.000Z' },
    { periodEnd: '2026-03-01T00:00:00.000Z' },
    { subscriptionId: 'sub_2' },
  ])('is compared only with usage of the same price, time and subscription: not with %j', (of) => {
    const sources = [{ invoiceId: 'inv_0', lineId: 'line_a', left: '5.00' }];
    const charge = usage({ eu: '12' }, { billed: '20.00', atMost: '5.00', sources });
    const { lines } = invoice(charge);
    const [charged, withBack] = lines as [(typeof lines)[0], (typeof lines)[0]];
    const { givesBack: _, ...credit } = withBack;
    const other = { ...charged, ...of, id: 'line_other', amount: '100.00' };
    const givenBack = (...given: (typeof lines)[0][]) =>
      withUsageGivenBack(given, [{ charges: [charge] }], { currency: 'USD', ownRateIds: [] })
        .flatMap(({ givesBack = [] }) => givesBack)
        .map(({ amount }) => amount);
    expect(givenBack(charged, other, credit)).toEqual(['2.00']);
    expect(givenBack(charged, { ...charged, amount: '2.00' }, credit)).toEqual([]);
    // 3.00 of the 12.00 count as credited, so a coupon applies only to the rest of this usage.
    const gone = { ...credit, invoiced: { ...credit.invoiced!, atMost: '11.00' } };
    expect(linesWithDiscountableAmounts([charged, other, gone], 'USD').map(({ amount }) => amount)).toEqual([
      '9.00',
      '100.00',
      '-14.00',
    ]);
  });

  it('has a single line if the give-back was taxed by the rates of the invoice', () => {
    const vat = { taxRateId: 'vat', name: 'VAT', percentage: '19', inclusive: false };
    const sources = [{ invoiceId: 'inv_0', lineId: 'line_a', left: '20.00', taxRates: [vat] }];
    const charges = [usage({ eu: '12' }, { billed: '20.00', atMost: '20.00', sources })];
    const { lines } = computeInvoice({ invoiceId: 'inv_1', currency: 'USD', charges, taxRates: [vat] });
    expect(lines.map(({ amount }) => amount)).toEqual(['12.00', '-20.00']);
  });

  it('is given back from the lines that charged it, of its own price and subscription', () => {
    const source = (lineId: string) => [{ invoiceId: 'inv_0', lineId, left: '20.00' }];
    const of = (lineId: string, more: Partial<MeasuredCharge['price']> = {}) => {
      const charge = usage({ eu: '12' }, { billed: '20.00', atMost: '20.00', sources: source(lineId) });
      return { ...charge, price: { ...charge.price, ...more } };
    };
    const { invoiced: _, ...plain } = of('line_plain');
    const { lines } = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'USD',
      charges: [],
      parts: [
        {
          subscriptionId: 'sub_1',
          charges: [{ ...plain, service: { ...month, start: month.end } }, of('line_1')],
        },
        { subscriptionId: 'sub_2', charges: [of('line_2'), of('line_3', { priceId: 'price_2' })] },
      ],
    });
    expect(lines.flatMap(({ givesBack = [] }) => givesBack.map(({ lineId }) => lineId))).toEqual([
      'line_1',
      'line_2',
      'line_3',
    ]);
  });

  it('is compared with a threshold, without fees', () => {
    const { lines } = invoice(usage({ eu: '8' }, { billed: '10.00', atMost: '10.00' }));
    const fee = { ...lines[0]!, type: 'flat' as const, amount: '50.00' };
    expect(amountOfNewUsage([...lines, fee]).toFixed(2)).toBe('6.00');
  });

  it('has no line if nothing was charged', () => {
    expect(amounts(usage({ eu: '1' }, { billed: '0.00' }))).toEqual(['2.00']);
    expect(amounts(usage({}, { billed: '0.00' }))).toEqual([]);
  });

  it('is charged without the minimum before the end of its period, and with it at the end', () => {
    const config = { ...CHEAPER, minimumAmount: '50' } as PriceConfig;
    const charge = usage({ eu: '5' });
    const bounded = { ...charge, price: { ...charge.price, config } };
    expect(amounts({ ...bounded, progressive: true })).toEqual(['10.00']);
    const before = { invoiceIds: ['inv_0'], billed: '10.00', atMost: '10.00' };
    expect(amounts({ ...bounded, invoiced: before })).toEqual(['10.00', '40.00', '-10.00']);
  });

  it('is fully discounted by coupons, except for voided or credited parts', () => {
    const discountOf = (atMost: string) =>
      invoice(usage({ eu: '4', us: '4' }, { billed: '10.00', atMost }), '50').discounts.map(
        ({ amount }) => amount,
      );
    const sources = [{ invoiceId: 'inv_0', lineId: 'line_a', left: '10.00' }];
    const { lines } = invoice(usage({ eu: '8' }, { billed: '10.00', atMost: '10.00', sources }), '50');
    // 16.00 less 8.00 and the 10.00: 2.00 are given back.
    expect(lines.map(({ givesBack }) => givesBack)).toEqual([
      undefined,
      [{ invoiceId: 'inv_0', lineId: 'line_a', amount: '2.00' }],
    ]);
    expect(discountOf('10.00')).toEqual(['8.00']);
    expect(discountOf('7.00')).toEqual(['6.50']);
    expect(discountOf('0.00')).toEqual(['3.00']);
    // 15.00 of 20.00 was credited. 12.00 is cheaper, so 2.00 of the remaining 5.00 is given back, and half of the remaining 3.00.
    const cheaper = invoice(usage({ eu: '12' }, { billed: '20.00', atMost: '5.00' }), '50');
    expect([cheaper.total, cheaper.excess]).toEqual(['0.00', '3.50']);
  });
});
