import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal, sumOf } from '#libs/kernel/core';
import type { MeasuredCharge } from './charge-lines.js';
import { computeInvoice, type InvoicePartCharges, type InvoiceCoupon, type InvoiceInput } from './invoice.js';
import { refunded } from '../../test/support/refunded.js';

const month = { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' };

const fee = (priceId: string, amount: string): MeasuredCharge => ({
  price: {
    priceId,
    version: 1,
    name: priceId,
    cadence: 'monthly',
    timing: 'in_arrears',
    metricId: null,
    config: { model: 'flat', amount, currency: 'USD' },
  },
  service: month,
  period: month,
});
const part = (subscriptionId: string, ...charges: MeasuredCharge[]): InvoicePartCharges => ({
  subscriptionId,
  charges,
});
const together = (parts: InvoicePartCharges[], more: Partial<InvoiceInput> = {}) =>
  computeInvoice({ invoiceId: 'inv_1', currency: 'USD', charges: [], parts, ...more });
const fixed = (couponId: string, amount: string, more: Partial<InvoiceCoupon> = {}): InvoiceCoupon => ({
  couponId,
  discount: { type: 'fixed', amount, currency: 'USD' },
  ...more,
});
const vat = { taxRateId: 'tax_1', name: 'VAT', percentage: '19', inclusive: false };

describe('an invoice of several subscriptions', () => {
  it('has the lines of each subscription in order, with its id', () => {
    const { lines, total } = together([
      part('sub_1', fee('a', '20'), fee('b', '5')),
      part('sub_2', fee('c', '7')),
    ]);
    expect(lines.map(({ subscriptionId, priceId, amount }) => [subscriptionId, priceId, amount])).toEqual([
      ['sub_1', 'a', '20.00'],
      ['sub_1', 'b', '5.00'],
      ['sub_2', 'c', '7.00'],
    ]);
    expect(total).toBe('32.00');
  });

  it('has different line ids for two subscriptions with equal charges', () => {
    const { lines, total } = together([part('sub_1', fee('a', '20')), part('sub_2', fee('a', '20'))]);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(2);
    expect(total).toBe('40.00');
  });

  it('rounds each tax once over the whole', () => {
    // 19 % of 0.02 is 0.0038: nothing on each, and 0.01 on both.
    const parts = [part('sub_1', fee('a', '0.02')), part('sub_2', fee('a', '0.02'))];
    expect(together(parts, { taxRates: [vat] })).toMatchObject({
      taxes: [{ amount: '0.01' }],
      total: '0.05',
    });
    expect(together(parts.slice(0, 1), { taxRates: [vat] }).taxes).toMatchObject([{ amount: '0.00' }]);
  });

  it("applies coupons of one subscription to its lines, before the customer's coupons, which apply once to all", () => {
    const { lines, discounts, total } = together(
      [part('sub_1', fee('a', '20')), part('sub_2', fee('a', '20'))],
      { coupons: [fixed('all', '30'), fixed('first', '15', { subscriptionIds: ['sub_1'] })] },
    );
    // 15 off the first leaves 5 and 20; the other 30 would be more than the 25 that are left.
    expect(discounts.map(({ couponId, amount }) => [couponId, amount])).toEqual([
      ['first', '15.00'],
      ['all', '25.00'],
    ]);
    expect(lines.map(({ discount }) => discount)).toEqual(['20.00', '20.00']);
    expect(total).toBe('0.00');
  });

  it('applies coupons for prices only to lines of their subscriptions', () => {
    const { lines } = together(
      [part('sub_1', fee('a', '20'), fee('b', '8')), part('sub_2', fee('a', '20'))],
      {
        coupons: [fixed('a', '50', { priceIds: ['a'], subscriptionIds: ['sub_2'] })],
      },
    );
    expect(lines.map(({ discount }) => discount)).toEqual([undefined, undefined, '20.00']);
  });

  it('fills the minimum commitment of each plan only with the charges of that plan', () => {
    const committed = (subscriptionId: string, minimum: string): InvoicePartCharges => ({
      ...part(subscriptionId, fee('a', '20')),
      commitment: {
        service: month,
        period: month,
        counted: [],
        parts: [{ ...month, planId: 'plan_1', planVersion: 1, planName: 'Pro', minimum }],
      },
    });
    const { lines, parts, commitment } = together([committed('sub_1', '50'), committed('sub_2', '15')]);
    expect(lines.map(({ type, amount }) => [type, amount])).toEqual([
      ['flat', '20.00'],
      ['minimum', '30.00'],
      ['flat', '20.00'],
    ]);
    expect(commitment).toBeUndefined();
    expect(parts).toMatchObject([
      { commitment: { due: '50.00', counted: '20.00' } },
      { commitment: { due: '15.00', counted: '20.00' } },
    ]);
  });

  it('deducts give-backs of one subscription from the charges of another', () => {
    const refund = { ...fee('a', '30'), ...refunded('30', fee('a', '30').service) };
    expect(together([part('sub_1', refund), part('sub_2', fee('b', '20'))])).toMatchObject({
      total: '0.00',
      excess: '10.00',
    });
  });

  it('has, without coupons and taxes, the sum of the separate invoices as its total', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 1, maxLength: 5 }), (subscriptions) => {
        const parts = subscriptions.map((cents, i) =>
          part(`sub_${i}`, ...cents.map((of, j) => fee(`price_${j}`, String(of / 1000)))),
        );
        const alone = parts.map(
          ({ charges }) => computeInvoice({ invoiceId: 'inv_1', currency: 'USD', charges }).total,
        );
        expect(new Decimal(together(parts).total).eq(sumOf(alone))).toBe(true);
      }),
    );
  });
});
