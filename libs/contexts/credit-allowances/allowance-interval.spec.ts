import { describe, expect, it } from '@jest/globals';
import { allowanceInterval } from './allowance-interval.js';

const day = (text: string) => `${text}T00:00:00.000Z`;
const subscription = {
  phase: 'active',
  period: { start: day('2026-01-31'), end: day('2027-01-31') },
  anchor: day('2026-01-31'),
  timezone: 'UTC',
} as const;

describe('the interval of an allowance', () => {
  it('is the billing period, or the month or year from the anchor on', () => {
    const at = day('2026-03-15');
    expect(allowanceInterval('period', subscription, at)).toEqual(subscription.period);
    expect(allowanceInterval('month', subscription, at)).toEqual({
      start: day('2026-02-28'),
      end: day('2026-03-31'),
    });
    expect(allowanceInterval('year', subscription, at)).toEqual(subscription.period);
  });

  it('follows the time zone of the subscription', () => {
    const berlin = { ...subscription, anchor: '2025-12-31T23:00:00.000Z', timezone: 'Europe/Berlin' };
    expect(allowanceInterval('month', berlin, day('2026-07-15'))).toEqual({
      start: '2026-06-30T22:00:00.000Z',
      end: '2026-07-31T22:00:00.000Z',
    });
  });

  it('is none while nothing is given, or while the next period has not begun', () => {
    for (const phase of ['pending', 'paused', 'canceled'] as const)
      expect(allowanceInterval('month', { ...subscription, phase }, day('2026-03-15'))).toBeUndefined();
    expect(allowanceInterval('month', subscription, day('2027-01-31'))).toBeUndefined();
  });
});
