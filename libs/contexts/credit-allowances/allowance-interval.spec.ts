import { describe, expect, it } from '@jest/globals';
import { allowanceIntervalAt, type AllowanceHolder } from './allowance-interval.js';

const day = (text: string) => `${text}T00:00:00.000Z`;
const subscription: AllowanceHolder = {
  phase: 'active',
  period: { start: day('2026-01-31'), end: day('2027-01-31') },
  anchor: day('2026-01-31'),
  timezone: 'UTC',
  billingInterval: 'annual',
  cancelAt: null,
  plannedPause: null,
  amendments: [],
};

describe('the interval of an allowance', () => {
  it('is the billing period, or the month or year from the anchor on', () => {
    const at = day('2026-03-15');
    expect(allowanceIntervalAt('period', subscription, at)).toEqual(subscription.period);
    expect(allowanceIntervalAt('month', subscription, at)).toEqual({
      start: day('2026-02-28'),
      end: day('2026-03-31'),
    });
    expect(allowanceIntervalAt('year', subscription, at)).toEqual(subscription.period);
  });

  it('follows the time zone of the subscription', () => {
    const berlin = { ...subscription, anchor: '2025-12-31T23:00:00.000Z', timezone: 'Europe/Berlin' };
    expect(allowanceIntervalAt('month', berlin, day('2026-07-15'))).toEqual({
      start: '2026-06-30T22:00:00.000Z',
      end: '2026-07-31T22:00:00.000Z',
    });
  });

  it('does not wait for the renewal of the subscription', () => {
    const monthly = {
      ...subscription,
      period: { start: day('2026-01-31'), end: day('2026-02-28') },
      billingInterval: 'monthly',
    } as const;
    for (const every of ['period', 'month'] as const)
      expect(allowanceIntervalAt(every, monthly, day('2026-02-28'))).toEqual({
        start: day('2026-02-28'),
        end: day('2026-03-31'),
      });
  });

  it('is none while nothing is given, or while something else than a renewal is due', () => {
    const at = day('2027-01-31');
    const none = (change: Partial<AllowanceHolder>, then = at) =>
      expect(allowanceIntervalAt('period', { ...subscription, ...change }, then)).toBeUndefined();
    for (const phase of ['pending', 'paused', 'canceled'] as const) none({ phase }, day('2026-03-15'));
    none({ phase: 'trialing' });
    none({ cancelAt: at });
    none({ plannedPause: { pauseAt: at, resumeAt: null, atPeriodEnd: true } });
    none({ amendments: [{ status: 'scheduled', effectiveAt: at }] as AllowanceHolder['amendments'] });
    expect(allowanceIntervalAt('period', { ...subscription, cancelAt: day('2027-02-15') }, at)).toBeDefined();
  });
});
