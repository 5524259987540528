import { describe, expect, it } from '@jest/globals';
import { fold } from '#libs/kernel/domain';
import { subscriptionDecider, type Amendment, type Subscription } from '#libs/contexts/subscriptions';
import { ahead, B0, B1, B2, create, month } from '../../../test/support/sample-subscription.js';
import { migrationActionOf } from './migration-action.js';

const subscribed = fold(subscriptionDecider, subscriptionDecider.decide(create([ahead]), undefined))!;
const amendment = (amendmentId: string, more: Partial<Amendment> = {}): Amendment => ({
  amendmentId,
  kind: 'amend',
  change: { plan: null, addPrices: [], removePrices: [], quantities: {} },
  prorate: true,
  status: 'applied',
  requestedAt: B0,
  effectiveAt: B0,
  invoiceId: null,
  failure: null,
  atPeriodEnd: false,
  replacedBy: null,
  ...more,
});
const migration = { fromPlanId: 'plan_1', effectiveAt: B1, createdAt: B0 };
const action = (
  more: Partial<Subscription>,
  change: Partial<typeof migration> = {},
  waitedUntil: string | null = null,
) =>
  migrationActionOf(
    { ...subscribed, ...more },
    { ...migration, ...change },
    { amendmentId: 'amd_move', waitedUntil },
  );

describe('a subscription', () => {
  it('is moved from the old plan, unless it has ended', () => {
    expect(action({})).toBe('now');
    expect(action({ amendments: [amendment('amd_other')] })).toBe('now');
    expect(action({ phase: 'canceled' })).toBe('not_on_plan');
    expect(action({ planId: 'plan_3' })).toBe('not_on_plan');
  });

  it('is left alone if a user moved it, because prices that were added to the plan would be lost', () => {
    expect(action({ planId: 'plan_2', amendments: [amendment('amd_by_hand')] })).toBe('not_on_plan');
  });

  it('counts as moved when the batch that moved it is repeated, whatever came later', () => {
    const amendments = [amendment('amd_move'), amendment('amd_by_hand')];
    expect(action({ planId: 'plan_2', amendments })).toBe('now');
    expect(action({ planId: 'plan_3', amendments })).toBe('now');
    expect(action({ phase: 'canceled', planId: 'plan_2', amendments })).toBe('now');
  });
});

describe('a subscription that is to move at the end of its period', () => {
  const atPeriodEnd = { effectiveAt: 'period_end', createdAt: '2026-02-10T00:00:00.000Z' };

  it('waits for that end, also of a trial, of the time before the start, or of a period that began again since', () => {
    expect(action({}, atPeriodEnd)).toBe('later');
    expect(action({ phase: 'trialing' }, atPeriodEnd)).toBe('later');
    expect(action({ phase: 'pending', period: { index: 0, start: B2, end: B2 } }, atPeriodEnd)).toBe('later');
    const anew = { index: 0, start: '2026-02-12T00:00:00.000Z', end: '2026-03-12T00:00:00.000Z' };
    expect(action({ period: anew }, atPeriodEnd)).toBe('later');
  });

  it('does not wait while it is paused, nor once it was renewed since', () => {
    expect(action({ phase: 'paused' }, atPeriodEnd)).toBe('now');
    expect(action({ period: month(1) }, atPeriodEnd)).toBe('now');
    const first = { ...month(1), index: 0 };
    expect(action({ period: first }, atPeriodEnd)).toBe('later');
    expect(action({ period: first }, atPeriodEnd, B1)).toBe('now');
    expect(action({ period: first }, atPeriodEnd, B2)).toBe('later');
    expect(action({ period: first, amendments: [amendment('amd_other')] }, atPeriodEnd)).toBe('later');
  });

  it('is left alone if it came to the plan after the migration was scheduled', () => {
    const later = '2026-02-11T00:00:00.000Z';
    expect(action({ createdAt: later }, atPeriodEnd)).toBe('on_plan_since');
    const { planId, planVersion, planName, currency } = { ...subscribed };
    const plan = { planId, planVersion, planName, currency, prices: [ahead] };
    const change = { plan, addPrices: [], removePrices: [], quantities: {} };
    const to = (kind: Amendment['kind'], effectiveAt: string) =>
      action({ amendments: [amendment('amd_1', { kind, change, effectiveAt })] }, atPeriodEnd);
    expect(to('amend', later)).toBe('on_plan_since');
    expect(to('amend', B0)).toBe('later');
    // A newer version of the plan that it is on.
    expect(to('migrate', later)).toBe('later');
  });
});
