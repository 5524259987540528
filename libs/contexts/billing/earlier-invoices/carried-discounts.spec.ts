import { describe, expect, it } from '@jest/globals';
import type { InvoiceDiscount } from '#libs/contexts/invoicing';
import { PRORATION_BY_TIME, type Charge, type InvoiceLine } from '#libs/rating';
import { carriedDiscounts, type GivenBackFeeLine } from './carried-discounts.js';
import { ahead, bill, charge, price, usage } from '../../../../test/support/sample-subscription.js';

const april = { start: '2026-04-01T00:00:00.000Z', end: '2026-05-01T00:00:00.000Z' };
const half = '2026-04-16T00:00:00.000Z';
const next = price('next', { timing: 'in_advance' });

const coupon = (redemptionId: string, more: Partial<InvoiceDiscount> = {}): InvoiceDiscount => ({
  redemptionId,
  couponId: `coupon of ${redemptionId}`,
  name: redemptionId,
  amount: '10.00',
  discount: { type: 'percentage', percent: '10' },
  ...more,
});
/** A fee of 100.00 for April with a discount of 10.00. Half of the fee is given back. */
const refunded = (line: Partial<InvoiceLine> = {}, more: object = {}): GivenBackFeeLine => ({
  charge: {
    ...charge(ahead, half, april.end, april),
    refund: { invoiceId: 'inv_1', service: april },
  },
  invoice: { invoiceId: 'inv_1', status: 'paid', discounts: [coupon('red_1')] },
  line: { id: 'line_1', priceId: 'ahead', amount: '100.00', discount: '10.00', ...line } as InvoiceLine,
  remainingFee: { lineId: 'line_1', net: '90.00', left: '90.00' },
  ...more,
});
const begun = charge(next, half, april.end, april);
const carried = (of: GivenBackFeeLine[], charges: Charge[] = [begun]) =>
  carriedDiscounts(bill('amendment', half, [april.start, april.end], charges, 1), of, PRORATION_BY_TIME);
const amounts = (...of: GivenBackFeeLine[]) =>
  carried(of).map(({ redemptionId, discount }) => [redemptionId, 'amount' in discount && discount.amount]);
const invoice = (...discounts: InvoiceDiscount[]) => ({
  invoice: { invoiceId: 'inv_1', status: 'paid', discounts },
});

describe('the unused part of a discount', () => {
  it('is carried over to the fees that replace the discounted fee', () => {
    const second = charge(price('second', { timing: 'in_advance' }), half, april.end, april);
    const behind = charge(price('behind'), april.start, half, april);
    expect(
      carried(
        [refunded()],
        [refunded().charge, begun, second, begun, behind, charge(usage, april.start, half)],
      ),
    ).toEqual([
      {
        redemptionId: 'red_1',
        couponId: 'coupon of red_1',
        name: 'red_1',
        carriedFrom: 'inv_1',
        discount: { type: 'fixed', amount: '5.00', currency: 'USD' },
        priceIds: ['next', 'second'],
      },
    ]);
  });

  it('is lost if no fee begins in advance', () => {
    expect(carried([refunded()], [refunded().charge])).toEqual([]);
    expect(carried([refunded()], [charge(price('behind'), april.start, half, april)])).toEqual([]);
  });

  it('is zero for a void invoice and for a line without a discount', () => {
    const voided = { invoice: { invoiceId: 'inv_1', status: 'void', discounts: [coupon('red_1')] } };
    expect(amounts(refunded({}, voided))).toEqual([]);
    const { discount: _, ...plain } = refunded().line;
    expect(amounts({ ...refunded(), line: plain })).toEqual([]);
    expect(amounts(refunded({ discount: '0.00' }))).toEqual([]);
  });

  it('shrinks with the remaining amount of the line', () => {
    expect(
      amounts(refunded({}, { remainingFee: { lineId: 'line_1', net: '90.00', left: '45.00' } })),
    ).toEqual([['red_1', '2.50']]);
    expect(amounts(refunded({}, { remainingFee: { lineId: 'line_1', net: '90.00', left: '0.00' } }))).toEqual(
      [],
    );
    // A fee that a coupon paid in full.
    const free = { left: { lineId: 'line_1', net: '0.00', left: '0.00' } };
    expect(amounts(refunded({ discount: '100.00' }, free))).toEqual([['red_1', '50.00']]);
  });

  it('belongs to the only coupon that covers the line', () => {
    const other = coupon('red_2', { priceIds: ['another'] });
    expect(amounts(refunded({}, invoice(other, coupon('red_1'))))).toEqual([['red_1', '5.00']]);
    expect(amounts(refunded({}, invoice(coupon('red_1'), coupon('red_2'))))).toEqual([]);
    expect(amounts(refunded({}, invoice(other)))).toEqual([]);
    expect(amounts(refunded({}, { invoice: { invoiceId: 'inv_1', status: 'paid' } }))).toEqual([]);
  });

  it('is divided among several coupons as on the line', () => {
    const discountedBy = [
      { couponId: 'red_1', amount: '4.00' },
      { couponId: 'red_2', amount: '6.00' },
      { couponId: 'red_gone', amount: '1.00' },
    ];
    const both = invoice(coupon('red_2'), coupon('red_1'));
    expect(amounts(refunded({ discountedBy }, both))).toEqual([
      ['red_1', '2.00'],
      ['red_2', '3.00'],
    ]);
  });

  it('is summed by coupon, and rounded once', () => {
    const cents = refunded({ discount: '0.01' });
    expect(amounts(cents, cents)).toEqual([['red_1', '0.01']]);
    expect(amounts(cents, cents, cents, cents)).toEqual([['red_1', '0.02']]);
    const second = refunded({}, invoice(coupon('red_2')));
    expect(amounts(refunded(), second, refunded())).toEqual([
      ['red_1', '10.00'],
      ['red_2', '5.00'],
    ]);
  });
});
