import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '#libs/core';
import type { PriceSnapshot } from './charges.js';
import { computeInvoice } from './invoice.js';
import { changeCharges, type ChangedFee } from './plan-changes.js';

const period = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-31T00:00:00.000Z' };
const half = '2026-01-16T00:00:00.000Z';
const fee = (priceId: string, unitPrice: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot => ({
  priceId,
  version: 1,
  name: priceId,
  config: { model: 'license', unitPrice, currency: 'USD' },
  cadence: 'monthly',
  timing: 'in_advance',
  metricId: null,
  ...more,
});
const added = (price: PriceSnapshot, quantity = '1'): ChangedFee => ({ price, quantity, period });
const removed = (price: PriceSnapshot, atMost: string, quantity = '1'): ChangedFee => ({
  ...added(price, quantity),
  refund: { atMost },
});
const amountsOf = (at: string, ...changes: ChangedFee[]) => {
  const { lines } = computeInvoice({
    invoiceId: 'inv_1',
    currency: 'USD',
    charges: changeCharges(changes, at),
  });
  return lines.map(({ type, amount }) => [type, amount]);
};

describe('a change', () => {
  it('gives back what is unused of the old fee and charges the rest of the period for the new', () => {
    expect(amountsOf(half, removed(fee('old', '100'), '100'), added(fee('new', '200')))).toEqual([
      ['credit', '-50.00'],
      ['flat', '100.00'],
    ]);
  });

  it('gives back no more than what was billed and not given back before', () => {
    expect(amountsOf(half, removed(fee('old', '100'), '12.34'))).toEqual([['credit', '-12.34']]);
    expect(amountsOf(half, removed(fee('old', '100'), '0'))).toEqual([['credit', '0.00']]);
  });

  it('gives back less where a coupon had taken something off', () => {
    const discounted = { ...removed(fee('old', '100'), '80'), refund: { atMost: '80', discount: '20' } };
    expect(amountsOf(half, discounted)).toEqual([['credit', '-40.00']]);
  });

  it('leaves a fee as it is that is on both sides, once for each', () => {
    const seat = fee('seat', '10');
    expect(amountsOf(half, removed(seat, '10'), added(seat))).toEqual([]);
    expect(amountsOf(half, removed(seat, '10'), added(seat), added(seat))).toEqual([['flat', '5.00']]);
    expect(amountsOf(half, removed(seat, '50', '5'), added(seat, '10'))).toEqual([
      ['credit', '-25.00'],
      ['flat', '50.00'],
    ]);
  });

  it('does nothing to usage, to one-time fees, to what is in arrears, and at the end of the period', () => {
    const others = [
      fee('usage', '1', { metricId: 'met_1' }),
      fee('setup', '1', { cadence: 'one_time' }),
      fee('arrears', '1', { timing: 'in_arrears' }),
    ];
    expect(
      amountsOf(half, ...others.map((price) => removed(price, '1')), ...others.map((price) => added(price))),
    ).toEqual([]);
    expect(amountsOf(period.end, removed(fee('old', '100'), '100'))).toEqual([]);
  });

  it('and its reverse at one instant cost nothing', () => {
    const cents = fc.integer({ min: 0, max: 10 ** 7 }).map((n) => new Decimal(n).div(100).toFixed());
    const instants = fc
      .integer({ min: 0, max: 30 * 86_400_000 })
      .map((ms) => new Date(Date.parse(period.start) + ms).toISOString());
    fc.assert(
      fc.property(
        cents,
        cents,
        fc.integer({ min: 1, max: 50 }),
        instants,
        (oldPrice, newPrice, seats, at) => {
          const [a, b] = [fee('a', oldPrice), fee('b', newPrice)];
          const quantity = String(seats);
          const full = (price: string) => new Decimal(price).times(seats).toFixed();
          const there = amountsOf(at, removed(a, full(oldPrice), quantity), added(b, quantity));
          const charged = there.find(([type]) => type === 'flat')?.[1] ?? '0';
          const back = amountsOf(at, removed(b, charged, quantity), added(a, quantity));
          const net = [...there, ...back].reduce((sum, [, amount]) => sum.plus(amount!), new Decimal(0));
          expect(net.toFixed()).toBe('0');
        },
      ),
    );
  });

  it('never gives back more than was billed, however often it happens in a period', () => {
    const instants = fc.array(fc.integer({ min: 0, max: 30 * 86_400_000 - 1 }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 10 ** 6 }), (offsets, priceCents) => {
        const price = fee('a', new Decimal(priceCents).div(100).toFixed());
        let billed = new Decimal(priceCents).div(100);
        for (const offset of offsets.sort((x, y) => x - y)) {
          const at = new Date(Date.parse(period.start) + offset).toISOString();
          const [[, credit]] = amountsOf(at, removed(price, billed.toFixed())) as [[string, string]];
          billed = billed.plus(credit);
          expect(billed.gte(0)).toBe(true);
          const [[, charge]] = amountsOf(at, added(price)) as [[string, string]];
          billed = billed.plus(charge);
        }
      }),
    );
  });
});
