import { describe, expect, it } from '@jest/globals';
import type { Plan } from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import { publishedPlanVersion, requireOfferedPlan } from './plan-offers.js';
import { requireAtMostOneSubscription } from './portal-subscription-finder.js';
import { hideSqlInErrors } from './sql-failures.js';
import { daysOfPeriod, daysUntil } from './usage-days.js';

/** A plan whose published version is the first, with a draft. */
const plan = (published: object, more: object = {}): Plan =>
  ({
    planId: 'plan_b',
    publishedVersion: 1,
    deleted: false,
    versions: [
      { version: 1, name: 'Team', visibility: 'public', currency: 'USD', ...published },
      { version: 2, name: 'Draft', visibility: 'public', currency: 'USD' },
    ],
    ...more,
  }) as unknown as Plan;
const subscribed = { planId: 'plan_a', currency: 'USD' };
const refusal = (one: Plan, to = subscribed) => {
  try {
    requireOfferedPlan(one, to);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a plan that customers can switch to', () => {
  it('is public, in the currency of the subscription, and another one', () => {
    expect(refusal(plan({}))).toBeUndefined();
    expect(refusal(plan({ visibility: 'hidden' }))).toBe('plan_not_found');
    expect(refusal(plan({}, { deleted: true }))).toBe('plan_not_found');
    expect(refusal(plan({ currency: 'EUR' }))).toBe('validation_failed');
    expect(refusal(plan({}), { ...subscribed, planId: 'plan_b' })).toBe('plan_unchanged');
  });

  it('is shown in its published version, not as its draft', () => {
    expect(publishedPlanVersion(plan({})).name).toBe('Team');
  });
});

describe('the subscription of a request', () => {
  const named = (n: number) => ({ subscriptionId: `sub_${n}`, planName: `Plan ${n}` });

  it('is the only one', () => {
    expect(requireAtMostOneSubscription([])).toBeUndefined();
    expect(requireAtMostOneSubscription([named(1)])).toEqual(named(1));
  });

  it('must be named if there are several, which the error lists', () => {
    expect(() => requireAtMostOneSubscription([named(1), named(2)])).toThrow(
      'subscriptionId: is required, since the customer has several subscriptions: sub_1 (Plan 1), sub_2 (Plan 2)',
    );
    const many = Array.from({ length: 11 }, (_, n) => named(n));
    expect(() => requireAtMostOneSubscription(many)).toThrow(/sub_9 \(Plan 9\) or another one$/);
  });
});

describe('the days of a period', () => {
  const days = (start: string, end: string, timezone: string) =>
    daysOfPeriod({ start, end }, timezone).map((day) => [day.date, day.start, day.end]);

  it('are those of the time zone, cut at both ends of the period', () => {
    expect(days('2026-01-30T20:00:00.000Z', '2026-02-01T00:00:00.000Z', 'Asia/Kolkata')).toEqual([
      ['2026-01-31', '2026-01-30T20:00:00.000Z', '2026-01-31T18:30:00.000Z'],
      ['2026-02-01', '2026-01-31T18:30:00.000Z', '2026-02-01T00:00:00.000Z'],
    ]);
  });

  it('have 23 and 25 hours when the clocks change, and leave no gap', () => {
    const spring = days('2026-03-28T23:00:00.000Z', '2026-03-30T22:00:00.000Z', 'Europe/Berlin');
    expect(spring).toEqual([
      ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      ['2026-03-30', '2026-03-29T22:00:00.000Z', '2026-03-30T22:00:00.000Z'],
    ]);
    const year = daysOfPeriod(
      { start: '2026-01-01T00:00:00.000Z', end: '2027-01-01T00:00:00.000Z' },
      'America/Santiago',
    );
    expect(year.slice(1).every(({ start }, i) => start === year[i]!.end)).toBe(true);
    expect(new Set(year.map(({ date }) => date)).size).toBe(year.length);
  });

  it('are shown as soon as they have begun', () => {
    const all = daysOfPeriod({ start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' }, 'UTC');
    expect(all).toHaveLength(31);
    expect(daysUntil(all, '2026-01-03T00:00:00.000Z').map(({ date }) => date)).toEqual([
      '2026-01-01',
      '2026-01-02',
      '2026-01-03',
    ]);
  });
});

describe('an error of the SQL of a metric', () => {
  it('does not reach customers with its text', async () => {
    const quoting = new InvalidRequest('metric_sql_failed', 'The SQL divides by zero');
    await expect(hideSqlInErrors(Promise.reject(quoting))).rejects.toMatchObject({
      code: 'usage_not_measurable',
      message: expect.not.stringContaining('SQL'),
    });
    const other = new InvalidRequest('subscription_paused', 'x');
    await expect(hideSqlInErrors(Promise.reject(other))).rejects.toBe(other);
  });
});
