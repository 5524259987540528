import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, moneyString, sumOf } from '#libs/kernel/core';
import type { Charge, PriceSnapshot } from './charges.js';
import type { MeasuredCharge } from './charge-lines.js';
import { computeInvoice, type InvoiceInput } from './invoice.js';
import type { InvoiceLine } from './invoice-line.js';
import type { InvoiceItem } from './items.js';
import type { LateUsage } from './late-usage-lines.js';
import { PRORATION_BY_TIME } from './proration.js';
import { taxesOnLines } from './tax-lines.js';
import { ratesOfLine, type TaxRate } from './taxes.js';

const rate = (taxRateId: string, percentage: string, inclusive = false): TaxRate => ({
  taxRateId,
  name: 'VAT',
  percentage,
  inclusive,
});
const full = rate('tax_19', '19');
const reduced = rate('tax_7', '7');
const contained = rate('tax_c10', '10', true);
const city = rate('tax_c5', '5', true);
const [jan, feb] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
const mid = '2026-01-16T12:00:00.000Z';

const item = (unitPrice: string, taxRateIds?: string[]): InvoiceItem => ({
  description: 'Item',
  quantity: '1',
  unitPrice,
  period: { start: jan, end: jan },
  ...(taxRateIds ? { taxRateIds } : {}),
});
const invoice = (input: Partial<InvoiceInput>) =>
  computeInvoice({
    invoiceId: 'inv_1',
    currency: 'EUR',
    charges: [],
    namedTaxRates: [full, reduced, contained, city],
    ...input,
  });
const taxesIn = ({ taxes }: ReturnType<typeof invoice>) =>
  taxes.map(({ taxRateId, taxable, amount }) => [taxRateId, taxable, amount]);

const fee = (priceId: string, amount: string, taxRateIds?: string[], currency = 'EUR'): PriceSnapshot => ({
  priceId,
  version: 1,
  name: priceId,
  cadence: 'monthly',
  timing: 'in_advance',
  metricId: null,
  config: { model: 'flat', amount, currency },
  ...(taxRateIds ? { taxRateIds } : {}),
});
const month = { start: jan, end: feb };
const charge = (price: PriceSnapshot): Charge => ({ price, service: month, period: month });

describe('an invoice with several tax rates', () => {
  it('taxes each line by its own rates, and each rate has a separate base', () => {
    const computed = invoice({
      taxRates: [full],
      items: [item('100'), item('50', ['tax_7']), item('30', [])],
    });
    expect(taxesIn(computed)).toEqual([
      ['tax_19', '100.00', '19.00'],
      ['tax_7', '50.00', '3.50'],
    ]);
    expect(computed).toMatchObject({ total: '202.50', excess: '0.00', taxRateIds: ['tax_19'] });
    expect(computed.lines.map(({ taxRateIds }) => taxRateIds)).toEqual([['tax_19'], ['tax_7'], []]);
    expect(computed.lines.map((line) => ratesOfLine(computed.taxes, line))).toEqual([[full], [reduced], []]);
  });

  describe('with late usage and shared subscriptions', () => {
    const calls = { ...fee('price_calls', '0', ['tax_7']), metricId: 'met_1' };
    const config = { model: 'unit', unitPrice: '1', currency: 'EUR' } as const;
    const measured = (quantity: string) => ({
      metricVersion: 1,
      groupBy: [],
      groups: [{ values: {}, quantity, watermark: '7' }],
    });
    const late: LateUsage = {
      charge: charge({ ...calls, config }),
      basis: PRORATION_BY_TIME,
      invoiceId: 'inv_0',
      billed: measured('10'),
      counted: measured('30'),
      since: '5',
      watermark: '7',
      atMost: '10.00',
    };
    const parts = [
      { subscriptionId: 'sub_1', charges: [charge(fee('price_a', '50', ['tax_7']))], late: [late] },
    ];

    it('taxes these lines by the rates of their prices', () => {
      expect(taxesIn(invoice({ taxRates: [full], late: [late] }))).toEqual([['tax_7', '20.00', '1.40']]);
      expect(taxesIn(invoice({ taxRates: [full], parts }))).toEqual([['tax_7', '70.00', '4.90']]);
    });

    it('gives back late usage at the rates of its billing, even if no other line has them', () => {
      const sources = [
        { invoiceId: 'inv_0', lineId: 'line_1', left: '10.00', taxRates: [rate('tax_old', '16')] },
      ];
      const less = { ...late, counted: measured('5'), sources };
      expect(taxesIn(invoice({ taxRates: [full], late: [less] }))).toEqual([['tax_old', '-5.00', '-0.80']]);
    });

    it('taxes everything by the rates of the invoice, if the rates of prices are ignored', () => {
      const unnamed = (input: Partial<InvoiceInput>) =>
        computeInvoice({ invoiceId: 'inv_1', currency: 'EUR', charges: [], taxRates: [full], ...input });
      expect(taxesIn(unnamed({ late: [late] }))).toEqual([['tax_19', '20.00', '3.80']]);
      expect(taxesIn(unnamed({ parts }))).toEqual([['tax_19', '70.00', '13.30']]);
    });
  });

  it('rounds each rate once over all its lines', () => {
    // 19% of 0.03 is 0.0057, and of three of them 0.0171. If each were rounded separately, they would sum to 0.03.
    const computed = invoice({
      taxRates: [],
      items: [item('0.03', ['tax_19']), item('0.03', ['tax_19', 'tax_7']), item('0.03', ['tax_19'])],
    });
    expect(taxesIn(computed)).toEqual([
      ['tax_19', '0.09', '0.02'],
      ['tax_7', '0.03', '0.00'],
    ]);
  });

  it('separates inclusive taxes from the others of a line, and distributes a rate over the lines that contain it', () => {
    // 10.00 × 10/110 = 0.9091 and 10.00 × 10/115 = 0.8696 are 1.7787 together; 10.00 × 5/115 = 0.4348.
    const computed = invoice({
      items: [item('10', ['tax_c10']), item('10', ['tax_c5', 'tax_c10']), item('10', ['tax_7'])],
    });
    expect(taxesIn(computed)).toEqual([
      ['tax_c10', '17.79', '1.78'],
      ['tax_7', '10.00', '0.70'],
      ['tax_c5', '8.70', '0.43'],
    ]);
    expect(computed.total).toBe('30.70');
  });

  it('applies each rate to the amount of its lines after coupons', () => {
    // 10 off 150 is 6.67 off the 100 and 3.33 off the 50; 25% off is then 23.33 and 11.67.
    const computed = invoice({
      taxRates: [full],
      charges: [charge(fee('a', '100')), charge(fee('b', '50', ['tax_7']))],
      coupons: [
        { couponId: 'ten', discount: { type: 'fixed', amount: '10', currency: 'EUR' } },
        { couponId: 'quarter', discount: { type: 'percentage', percent: '25' } },
      ],
    });
    expect(computed.lines.map(({ discount }) => discount)).toEqual(['30.00', '15.00']);
    expect(taxesIn(computed)).toEqual([
      ['tax_19', '70.00', '13.30'],
      ['tax_7', '35.00', '2.45'],
    ]);
    expect(computed.total).toBe('120.75');
  });

  it('rounds to whole yen', () => {
    const [food, other] = [rate('tax_8', '8', true), rate('tax_10', '10')];
    const computed = invoice({
      currency: 'JPY',
      taxRates: [other],
      namedTaxRates: [food],
      charges: [charge(fee('a', '999', undefined, 'JPY')), charge(fee('b', '500', ['tax_8'], 'JPY'))],
    });
    // 500 × 8/108 = 37.04.
    expect(taxesIn(computed)).toEqual([
      ['tax_10', '999', '100'],
      ['tax_8', '463', '37'],
    ]);
    expect(computed.total).toBe('1599');
  });

  it('has no rates on its lines if all lines have the same rates', () => {
    const plain = invoice({ taxRates: [full], charges: [charge(fee('a', '100'))] });
    expect(invoice({ taxRates: [full], charges: [charge(fee('a', '100', ['tax_19']))] })).toEqual(plain);
    expect(plain).not.toHaveProperty('taxRateIds');
    expect(plain.lines[0]).not.toHaveProperty('taxRateIds');
  });

  it('stores its own rates even if no line has them', () => {
    const computed = invoice({ taxRates: [full], charges: [charge(fee('a', '100', ['tax_7']))] });
    expect(taxesIn(computed)).toEqual([['tax_7', '100.00', '7.00']]);
    expect(computed.taxRateIds).toEqual(['tax_19']);
  });

  it('charges no tax to an exempt customer, whatever prices and items name', () => {
    const computed = computeInvoice({
      invoiceId: 'inv_1',
      currency: 'EUR',
      charges: [charge(fee('a', '100', ['tax_7']))],
      items: [item('50', ['tax_19'])],
    });
    expect(computed).toMatchObject({ taxes: [], total: '150.00' });
    expect(computed.lines.some((line) => 'taxRateIds' in line)).toBe(false);
  });

  it('refuses an unknown rate', () => {
    expect(() => invoice({ items: [item('1', ['tax_0'])] })).toThrow(RangeError);
  });
});

describe('tax that is given back', () => {
  const vat20 = rate('tax_20', '20');
  const vat25 = rate('tax_25', '25');
  const unused = (taxRates?: TaxRate[]): MeasuredCharge => ({
    price: fee('a', '100'),
    service: { start: mid, end: feb },
    period: month,
    refund: { invoiceId: 'inv_0', service: month },
    remainingFee: { lineId: 'line_0', net: '100.00', left: '100.00' },
    ...(taxRates ? { taxRates } : {}),
  });

  it('has the rate that was paid, even if the present rate is different', () => {
    const computed = invoice({ taxRates: [vat25], charges: [unused([vat20])] });
    expect(taxesIn(computed)).toEqual([['tax_20', '-50.00', '-10.00']]);
    expect(computed).toMatchObject({ total: '0.00', excess: '60.00' });
  });

  it('is also given back to a customer who has become exempt', () => {
    const computed = computeInvoice({ invoiceId: 'inv_1', currency: 'EUR', charges: [unused([vat20])] });
    expect(computed).toMatchObject({ total: '0.00', excess: '60.00', taxRateIds: [] });
  });

  it('is zero if no tax was paid', () => {
    expect(invoice({ taxRates: [vat25], charges: [unused([])] })).toMatchObject({
      taxes: [],
      excess: '50.00',
    });
  });

  it('is listed separately from the tax on the new charge', () => {
    const computed = invoice({ taxRates: [vat25], charges: [unused([vat20]), charge(fee('b', '80'))] });
    expect(taxesIn(computed)).toEqual([
      ['tax_25', '80.00', '20.00'],
      ['tax_20', '-50.00', '-10.00'],
    ]);
    expect(computed).toMatchObject({ total: '40.00', excess: '0.00' });
  });
});

describe('taxes of lines', () => {
  const rates = [full, reduced, contained, city, rate('tax_z', '0')];
  const amounts = fc.oneof(fc.integer({ min: -5_000, max: 500_000 }), fc.integer({ min: -20, max: 20 }));
  const lines = fc.array(fc.tuple(amounts, fc.subarray(rates)), { minLength: 1, maxLength: 8 }).map((all) =>
    all.map(([cents, on], i): InvoiceLine => ({
      id: `line_${i}`,
      type: 'manual',
      description: 'Line',
      priceId: null,
      priceVersion: null,
      quantity: '1',
      amount: moneyString(new Decimal(cents).div(100), 'EUR'),
      periodStart: jan,
      periodEnd: jan,
      taxRateIds: on.map(({ taxRateId }) => taxRateId),
    })),
  );

  it('sum up: bases and inclusive taxes to the lines, each rate within half a cent of its exact amount', () => {
    fc.assert(
      fc.property(lines, (given) => {
        const { taxes } = taxesOnLines(given, [], rates, 'EUR');
        for (const { taxRateId, percentage, inclusive, taxable, amount } of taxes) {
          const on = given.filter((line) => line.taxRateIds!.includes(taxRateId));
          const exact = sumOf(
            on.map((line) => {
              const inside = rates.filter((one) => one.inclusive && line.taxRateIds!.includes(one.taxRateId));
              const whole = sumOf(inside.map((one) => one.percentage)).plus(100);
              return new Decimal(line.amount).times(percentage).dividedBy(whole);
            }),
          );
          expect(exact.minus(amount).abs().lte('0.005000001')).toBe(true);
          const alone = on.every((line) => line.taxRateIds!.length === 1);
          const gross = sumOf(on.map((line) => line.amount));
          if (alone) expect(gross.minus(taxable).eq(inclusive ? amount : 0)).toBe(true);
        }
        const single = given.map((line) => ({ ...line, taxRateIds: line.taxRateIds!.slice(0, 1) }));
        const parted = taxesOnLines(single, [], rates, 'EUR').taxes;
        const taxed = sumOf(single.filter((line) => line.taxRateIds.length > 0).map((line) => line.amount));
        const inside = parted.filter(({ inclusive }) => inclusive).map((tax) => tax.amount);
        expect(sumOf([...parted.map((tax) => tax.taxable), ...inside]).eq(taxed)).toBe(true);
      }),
    );
  });

  it('do not depend on the order of the lines', () => {
    fc.assert(
      fc.property(
        lines.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
        ),
        ([given, shuffled]) => {
          expect(taxesOnLines(shuffled, [], rates, 'EUR').taxes).toEqual(
            taxesOnLines(given, [], rates, 'EUR').taxes,
          );
        },
      ),
    );
  });
});
