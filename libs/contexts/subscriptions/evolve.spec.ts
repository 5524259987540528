import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  amend,
  B0,
  B1,
  canceled,
  created,
  plan,
  run,
  termsChange,
  usage,
  yearly,
} from '../../../test/support/sample-subscription.js';
import { subscriptionDecider } from './decider.js';
import type { SubscriptionEvent } from './events.js';
import { isTrialPaused } from './subscription.js';

const { given } = decide(subscriptionDecider);
const at = '2026-02-14T10:00:00.000Z';
const before = created([usage, ahead], null);
const scheduled = (amendmentId: string, effectiveAt: string, atPeriodEnd?: true): SubscriptionEvent => ({
  type: 'SubscriptionAmendmentScheduled',
  data: {
    ...about,
    amendmentId,
    kind: 'amend',
    change: termsChange(),
    prorate: true,
    effectiveAt,
    at: B0,
    ...(atPeriodEnd ? { atPeriodEnd } : {}),
  },
});
const withdrawn = (amendmentId: string): SubscriptionEvent => ({
  type: 'SubscriptionAmendmentCanceled',
  data: { ...about, amendmentId },
});
const amended = (more: object = {}) =>
  given(before)
    .when(amend({ plan: plan(usage, yearly) }, { amendmentId: 'amd_now', at, ...more }))
    .events();

describe('the amendments of a subscription', () => {
  it('say why one failed', () => {
    const failed: SubscriptionEvent = {
      type: 'SubscriptionAmendmentFailed',
      data: { ...about, amendmentId: 'amd_1', at: B1, run, code: 'too_late', message: 'It is too late' },
    };
    expect(given(before, scheduled('amd_1', B1), failed).state()!.amendments).toMatchObject([
      { status: 'failed', failure: { code: 'too_late', message: 'It is too late' } },
    ]);
  });

  it('say which price migration made one', () => {
    const migration = { kind: 'price_migration', migrationId: 'mig_1' };
    expect(given(before, ...amended(migration)).state()!.amendments).toMatchObject([
      { migrationId: 'mig_1' },
    ]);
    expect(given(before, ...amended()).state()!.amendments[0]).not.toHaveProperty('migrationId');
  });

  it('that no longer wait stay as they are when the period moves or the subscription ends', () => {
    const both = [scheduled('amd_1', B1, true), withdrawn('amd_1'), scheduled('amd_2', B1, true)];
    const moved = given(before, ...both, ...amended()).state()!;
    expect(moved.amendments.map(({ effectiveAt, status }) => [effectiveAt, status])).toEqual([
      [B1, 'canceled'],
      [moved.period.end, 'scheduled'],
      [at, 'applied'],
    ]);
    const ended = given(before, ...amended(), scheduled('amd_2', B1), canceled(at, null)).state()!;
    expect(ended.amendments.map(({ status }) => status)).toEqual(['applied', 'canceled']);
  });
});

describe('a trial', () => {
  const trialEnd = at;
  const trial = { index: 0, start: B0, end: trialEnd };
  const charged = { index: 0, start: trialEnd, end: '2026-03-14T10:00:00.000Z' };
  const isPaused = (pausedAt: string | null, end: string | null, period = trial) => {
    const state = given(before).state()!;
    return isTrialPaused({ ...state, trialEnd: end, pausedAt, period });
  };

  it('is paused by a pause that began before the first charged period', () => {
    expect(isPaused('2026-02-10T10:00:00.000Z', trialEnd)).toBe(true);
    expect(isPaused(trialEnd, trialEnd)).toBe(true);
    expect(isPaused(trialEnd, trialEnd, charged)).toBe(false);
    expect(isPaused(B1, trialEnd, charged)).toBe(false);
    expect(isPaused(null, trialEnd)).toBe(false);
    expect(isPaused(B1, null, charged)).toBe(false);
  });
});
