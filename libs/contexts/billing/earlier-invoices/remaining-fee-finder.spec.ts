import { expect, it } from '@jest/globals';
import { computeInvoice, PRORATION_BY_TIME, type ProrationBasis } from '#libs/rating';
import { ahead, charge } from '../../../../test/support/sample-subscription.js';
import { findRemainingFee } from './remaining-fee-finder.js';

const april = { start: '2026-04-01T00:00:00.000Z', end: '2026-05-01T00:00:00.000Z' };
/** The fee is charged from the evening of 16 April: for 15 days, or 14.25 times 24 hours. */
const service = { start: '2026-04-16T18:00:00.000Z', end: april.end };

it.each<[ProrationBasis, string]>([
  [{ unit: 'days', timezone: 'UTC' }, '-2.33'],
  [PRORATION_BY_TIME, '-2.33'],
])('a discounted fee for a part of a period is given back in the unit of its charge: %j', (basis, given) => {
  const half = { couponId: 'red_1', discount: { type: 'percentage', percent: '50' } } as const;
  const fee = charge(ahead, service.start, service.end, april);
  const input = { currency: 'USD', basis };
  const charged = computeInvoice({ ...input, invoiceId: 'inv_1', charges: [fee], coupons: [half] });
  const { lines, total } = charged;
  const status = 'open' as const;
  const invoice = { invoiceId: 'inv_1', lines, total, currency: 'USD', status, creditNotes: [] };
  const refund = { invoiceId: 'inv_1', service };
  const unused = { ...fee, service: { start: '2026-04-24T00:00:00.000Z', end: april.end }, refund };
  const remainingFee = findRemainingFee(unused, invoice, 'inv_2', basis);
  const back = computeInvoice({ ...input, invoiceId: 'inv_2', charges: [{ ...unused, remainingFee }] });
  expect(back.lines.map(({ amount }) => amount)).toEqual([given]);
});
