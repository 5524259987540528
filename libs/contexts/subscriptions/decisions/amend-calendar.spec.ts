import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { computeInvoice, type PriceSnapshot } from '#libs/rating';
import { create, pass, plan, price, subscriptionId } from '../../../../test/support/sample-subscription.js';
import { subscriptionDecider } from '../decider.js';
import type { Bill } from '../events.js';
import type { Subscription } from '../subscription.js';

/*
 * Changes on awkward days. Each amount is worked out by hand, as elapsed time over the length of the actual period. That is an hour longer
 * or shorter if the clocks change in it. Boundaries are counted from the anchor, in local time.
 */

const advance = (priceId: string, amount: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot =>
  price(priceId, { config: { model: 'flat', amount, currency: 'USD' }, timing: 'in_advance', ...more });
const old = advance('old', '100');
const next = advance('next', '200');

const decide = (
  command: Parameters<typeof subscriptionDecider.decide>[0],
  state?: Subscription,
): Subscription => fold(subscriptionDecider, subscriptionDecider.decide(command, state), state)!;

/** A subscription to the old price, from `startsAt` on. */
const subscribed = (timezone: string, startsAt: string): Subscription =>
  decide(create([old], { timezone, startsAt, at: startsAt }));

function amended(state: Subscription, at: string, to = next): Subscription {
  const change = { plan: plan(to), addPrices: [], removePrices: [], quantities: {} };
  const amendment = { amendmentId: `amd_${at}_${to.priceId}`, kind: 'amend', change, prorate: true } as const;
  return decide({ type: 'AmendSubscription', subscriptionId, ...amendment, at }, state);
}

/** Returns the amounts of the bill's lines. Each give-back is of a line that is larger and has nothing given back yet. */
const amounts = ({ invoiceId, currency, charges }: Bill): string[] => {
  const left = { lineId: 'line_1', net: '1000000.00', left: '1000000.00' };
  const measured = charges.map((charge) => (charge.refund ? { ...charge, remainingFee: left } : charge));
  return computeInvoice({ invoiceId, currency, charges: measured }).lines.map(({ amount }) => amount);
};

/** Returns the amounts that the change bills, and the end of the period that it falls into. */
const changeAt = (timezone: string, startsAt: string, at: string) => {
  const { lastBill, period } = amended(subscribed(timezone, startsAt), at);
  return [...amounts(lastBill!), period.end];
};

describe('on the day that the clocks change', () => {
  it('in Berlin: 60 of 743 hours are left at noon of 29 March 2026', () => {
    expect(changeAt('Europe/Berlin', '2026-02-28T23:00:00.000Z', '2026-03-29T10:00:00.000Z')).toEqual([
      '-8.08', // 100 × 60 / 743 = 8.0753…
      '16.15', // 200 × 60 / 743 = 16.1507…
      '2026-03-31T22:00:00.000Z',
    ]);
  });

  it('in Los Angeles: 708 of 721 hours are left at noon of 1 November 2026', () => {
    expect(changeAt('America/Los_Angeles', '2026-11-01T07:00:00.000Z', '2026-11-01T20:00:00.000Z')).toEqual([
      '-98.20', // 100 × 708 / 721 = 98.1969…
      '196.39', // 200 × 708 / 721 = 196.3938…
      '2026-12-01T08:00:00.000Z',
    ]);
  });

  it('in Auckland: 612 of 721 hours are left at noon of 5 April 2026', () => {
    expect(changeAt('Pacific/Auckland', '2026-03-31T11:00:00.000Z', '2026-04-05T00:00:00.000Z')).toEqual([
      '-84.88', // 100 × 612 / 721 = 84.8821…
      '169.76', // 200 × 612 / 721 = 169.7642…
      '2026-04-30T12:00:00.000Z',
    ]);
  });
});

describe('on one day', () => {
  it('at the very start of the period all is given back and charged', () => {
    const start = '2026-02-28T23:00:00.000Z';
    expect(changeAt('Europe/Berlin', start, start)).toEqual([
      '-100.00',
      '200.00',
      '2026-03-31T22:00:00.000Z',
    ]);
  });

  it('twice, each change gives back what the one before has left', () => {
    // Berlin, 1 to 31 March 2026 has 743 hours; 371.5 of them are left at first, and 365.5 six hours later.
    const state = amended(
      subscribed('Europe/Berlin', '2026-02-28T23:00:00.000Z'),
      '2026-03-16T10:30:00.000Z',
    );
    expect(amounts(state.lastBill!)).toEqual(['-50.00', '100.00']);
    const back = amended(state, '2026-03-16T16:30:00.000Z', old);
    expect(amounts(back.lastBill!)).toEqual([
      '-98.38', // 200 × 365.5 / 743 = 98.3849…
      '49.19', // 100 × 365.5 / 743 = 49.1924…
    ]);
  });
});

describe('on a leap day', () => {
  it('in Berlin: 684 of 696 hours are left at noon, and the day comes back where a month has it', () => {
    const state = amended(
      subscribed('Europe/Berlin', '2024-02-28T23:00:00.000Z'),
      '2024-02-29T11:00:00.000Z',
    );
    expect(amounts(state.lastBill!)).toEqual([
      '-98.28', // 100 × 684 / 696 = 98.2758…
      '196.55', // 200 × 684 / 696 = 196.5517…
    ]);
    expect(state.period.end).toBe('2024-03-28T23:00:00.000Z');
    // 29 April at midnight in Berlin, in summer time.
    expect(decide(pass(state.period.end), state).period.end).toBe('2024-04-28T22:00:00.000Z');
  });

  it('in Los Angeles: a year from 29 February ends on the 28th', () => {
    // 15 February to 15 March 2024 has 695 hours, as summer time begins on the 10th; 359 are left on the 29th.
    const yearly = advance('year', '1000', { cadence: 'annual' });
    const state = amended(
      subscribed('America/Los_Angeles', '2024-02-15T08:00:00.000Z'),
      '2024-02-29T08:00:00.000Z',
      yearly,
    );
    expect(amounts(state.lastBill!)).toEqual(['-51.65', '1000.00']); // 100 × 359 / 695 = 51.6546…
    expect(state.period).toEqual({
      index: 0,
      start: '2024-02-29T08:00:00.000Z',
      end: '2025-02-28T08:00:00.000Z',
    });
    const later = ['2025', '2026', '2027'].reduce(
      (before, year) => decide(pass(`${year}-02-28T08:00:00.000Z`), before),
      state,
    );
    expect(later.period.end).toBe('2028-02-29T08:00:00.000Z');
  });
});

describe('at the end of a month', () => {
  // The subscription starts on 31 January 2026 at midnight in Auckland. Its first period ends on 28 February.
  const start = '2026-01-30T11:00:00.000Z';

  it('in Auckland: half of 28 days is left on 14 February, and the 31st comes back', () => {
    const state = amended(subscribed('Pacific/Auckland', start), '2026-02-13T11:00:00.000Z');
    expect(amounts(state.lastBill!)).toEqual(['-50.00', '100.00']);
    expect(state.period.end).toBe('2026-02-27T11:00:00.000Z');
    expect(decide(pass(state.period.end), state).period.end).toBe('2026-03-30T11:00:00.000Z');
  });

  it('in Auckland: on 28 February the next period has begun, and has 31 days', () => {
    const renewed = decide(pass('2026-02-27T11:00:00.000Z'), subscribed('Pacific/Auckland', start));
    const state = amended(renewed, '2026-02-27T23:00:00.000Z');
    expect(amounts(state.lastBill!)).toEqual([
      '-98.39', // 100 × 30.5 / 31 = 98.3870…
      '196.77', // 200 × 30.5 / 31 = 196.7741…
    ]);
  });
});
