import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Decimal } from '#libs/kernel/core';
import type { RemainingFee } from './charge-lines.js';
import type { Charge, PriceSnapshot } from './charges.js';
import { computeInvoice } from './invoice.js';
import { remainderOf } from './proration.js';
import { reconcileFees, endedFees, type BilledFee } from './reconcile.js';

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
/** A fee that begins at the change, or a billed fee with its remaining amount. */
type ChangedFee =
  { charge: Omit<Charge, 'service'> } | { fee: BilledFee; left: Omit<RemainingFee, 'lineId'> };
const added = (price: PriceSnapshot, quantity = '1'): ChangedFee => ({
  charge: { price, period, ...(quantity === '1' ? {} : { quantity }) },
});
const removed = (
  price: PriceSnapshot,
  net: string,
  quantity = '1',
  more: Partial<RemainingFee> = {},
): ChangedFee => ({
  fee: { invoiceId: `inv of ${price.priceId}`, price, quantity, service: period, period },
  left: { net, left: net, ...more },
});
const amountsOf = (at: string, ...changes: ChangedFee[]) => {
  const ended = changes.filter((change) => 'fee' in change);
  const owed = changes
    .filter((change) => 'charge' in change)
    .map(({ charge }) => ({ ...charge, service: remainderOf(period, at) }))
    .filter(({ service }) => service.start < service.end);
  const billed = ended.map(({ fee }) => fee);
  const { chargesToBill, giveBacks } = reconcileFees(owed, billed, at);
  const measured = giveBacks.map((charge) => {
    const { left } = ended.find(({ fee }) => fee.invoiceId === charge.refund!.invoiceId)!;
    return { ...charge, remainingFee: { lineId: 'line_1', ...left } };
  });
  const { lines } = computeInvoice({
    invoiceId: 'inv_1',
    currency: 'USD',
    charges: [...measured, ...chargesToBill],
  });
  return lines.map(({ type, amount }) => [type, amount]);
};

describe('a change', () => {
  it('gives back the unused part of the old fee, and charges the new fee for the rest of the period', () => {
    expect(amountsOf(half, removed(fee('old', '100'), '100'), added(fee('new', '200')))).toEqual([
      ['credit', '-50.00'],
      ['flat', '100.00'],
    ]);
  });

  it('gives back no more than what was billed and not given back before', () => {
    expect(amountsOf(half, removed(fee('old', '100'), '12.34'))).toEqual([['credit', '-12.34']]);
    expect(amountsOf(half, removed(fee('old', '100'), '0'))).toEqual([]);
  });

  it('gives back less if a coupon discounted the fee', () => {
    const discounted = removed(fee('old', '100'), '80', '1', { discount: '20' });
    expect(amountsOf(half, discounted)).toEqual([['credit', '-40.00']]);
  });

  it('gives back no more than the amount that credit notes have left', () => {
    expect(amountsOf(half, removed(fee('old', '100'), '100', '1', { left: '70' }))).toEqual([
      ['credit', '-50.00'],
    ]);
    expect(amountsOf(half, removed(fee('old', '100'), '100', '1', { left: '40' }))).toEqual([
      ['credit', '-40.00'],
    ]);
    expect(amountsOf(half, removed(fee('old', '100'), '100', '1', { left: '0' }))).toEqual([]);
  });

  it('does not change a fee that continues, once for each billing', () => {
    const seat = { invoiceId: 'inv_1', price: fee('seat', '10'), quantity: '2', service: period, period };
    const again = { ...seat, invoiceId: 'inv_2' };
    const item = { price: seat.price, quantity: '2', since: period.end };
    expect(endedFees([seat], [item])).toEqual([]);
    expect(endedFees([seat, again], [item])).toEqual([again]);
    expect(endedFees([seat], [{ ...item, quantity: '3' }])).toEqual([seat]);
  });

  it('ends a fee whose price continues in another version', () => {
    const seat = { invoiceId: 'inv_1', price: fee('seat', '10'), quantity: '2', service: period, period };
    const newer = { price: fee('seat', '10', { version: 2 }), quantity: '2', since: period.end };
    expect(endedFees([seat], [newer])).toEqual([seat]);
  });

  it('keeps the newest billing of a fee that continues, and ends an older one', () => {
    const seat = { invoiceId: 'inv_1', price: fee('seat', '10'), quantity: '2', service: period, period };
    const next = { start: period.end, end: '2026-02-28T00:00:00.000Z' };
    const renewed = { ...seat, invoiceId: 'inv_2', service: next, period: next };
    const desk = { ...renewed, price: fee('desk', '30') };
    const item = { price: seat.price, quantity: '2', since: next.end };
    expect(endedFees([seat, renewed], [item])).toEqual([seat]);
    expect(endedFees([desk, renewed], [item])).toEqual([desk]);
    expect(endedFees([seat], [item])).toEqual([]);
  });

  it('does not change a fee that is both owed and billed, once for each', () => {
    const seat = fee('seat', '10');
    expect(amountsOf(half, removed(seat, '10'), added(seat))).toEqual([]);
    expect(amountsOf(half, removed(seat, '10'), added(seat), added(seat))).toEqual([['flat', '5.00']]);
    expect(amountsOf(half, removed(seat, '50', '5'), added(seat, '10'))).toEqual([
      ['credit', '-25.00'],
      ['flat', '50.00'],
    ]);
  });

  it('distinguishes 15 seats of version 1 from 5 seats of version 11', () => {
    const [first, eleventh] = [fee('seat', '10'), fee('seat', '10', { version: 11 })];
    expect(amountsOf(half, removed(first, '150', '15'), added(eleventh, '5'))).toEqual([
      ['credit', '-75.00'],
      ['flat', '25.00'],
    ]);
  });

  it('does nothing at the end of the period', () => {
    expect(amountsOf(period.end, removed(fee('old', '100'), '100'))).toEqual([]);
  });

  it('and its reverse at the same instant cost nothing', () => {
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

  it('never gives back more than was billed, for any number of changes in a period', () => {
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
          const [[, credit] = []] = amountsOf(at, removed(price, billed.toFixed()));
          billed = billed.plus(credit ?? 0);
          expect(billed.gte(0)).toBe(true);
          const [[, charge]] = amountsOf(at, added(price)) as [[string, string]];
          billed = billed.plus(charge);
        }
      }),
    );
  });
});
