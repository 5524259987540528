import { expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { periodWithNumber } from '#libs/rating';
import { B0, B12, create, pass, price, usage, yearly } from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';
import type { Bill } from '../events.js';
import type { Subscription } from '../subscription.js';

/** Boundary `index` of the months from 31 January 2026 on. */
const boundary = (index: number) => periodWithNumber({ anchor: B0, timezone: 'UTC' }, 'monthly', index).start;

/** The bills of a subscription to these prices, up to the first boundary of its second year. */
function billsOfAYear(...prices: Parameters<typeof create>[0]): Bill[] {
  let state: Subscription = fold(subscriptionDecider, subscriptionDecider.decide(create(prices), undefined))!;
  const bills = [state.lastBill];
  while (state.period.end <= B12) {
    state = fold(subscriptionDecider, subscriptionDecider.decide(pass(state.period.end), state), state)!;
    bills.push(state.lastBill);
  }
  return bills.filter((bill) => bill !== null);
}

const charged = ({ billedAt, charges }: Bill) => [
  billedAt,
  ...charges.map(({ price: { priceId }, service }) => [priceId, service.start, service.end]),
];

it('an annual fee is charged once a year and a monthly metered price each month, from a month end on', () => {
  const calls = price('calls', { ...usage, priceId: 'calls', cadence: 'monthly' });
  const bills = billsOfAYear(yearly, calls).map(charged);
  const months = Array.from({ length: 12 }, (_, i) => ['calls', boundary(i), boundary(i + 1)]);
  expect(bills).toHaveLength(13);
  expect(bills[0]).toEqual([B0, ['yearly', B0, B12]]);
  expect(bills.slice(1, 12)).toEqual(months.slice(0, 11).map((month) => [month[2], month]));
  expect(bills[12]).toEqual([B12, ['yearly', B12, '2028-01-31T10:00:00.000Z'], months[11]]);
  // 31 January, 28 February, 31 March.
  expect(months.slice(0, 3).map(([, start]) => start)).toEqual([
    '2026-01-31T10:00:00.000Z',
    '2026-02-28T10:00:00.000Z',
    '2026-03-31T10:00:00.000Z',
  ]);
});

it('usage of a price with the cadence usage_based next to an annual fee is charged once a year', () => {
  expect(billsOfAYear(yearly, usage).map(charged)).toEqual([
    [B0, ['yearly', B0, B12]],
    [B12, ['yearly', B12, '2028-01-31T10:00:00.000Z'], ['usage', B0, B12]],
  ]);
});
