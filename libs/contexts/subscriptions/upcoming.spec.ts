import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  B0,
  B1,
  B2,
  bill,
  cancellationScheduled,
  charge,
  created,
  month,
  plan,
  price,
  setup,
} from '../../../test/support/sample-subscription.js';
import { subscriptionDecider } from './decider.js';
import type { SubscriptionEvent, TermsChange } from './events.js';
import type { PlannedMigration } from './planned-migrations.js';
import { upcomingAmendment, firstPeriodEndWithoutBill, nextBilledPeriod } from './upcoming.js';

const { given } = decide(subscriptionDecider);
const at = '2026-02-14T10:00:00.000Z';
const opening = bill('cycle', B0, [B0, B1], [charge(ahead, B0, B1)]);
const paying = created([ahead], opening);
/** A subscription that is never billed again. */
const quiet = created([setup], null);
const nothing: TermsChange = { plan: null, addPrices: [], removePrices: [], quantities: {} };
const big = price('big', { timing: 'in_advance' });

const scheduled = (
  amendmentId: string,
  effectiveAt: string,
  change: Partial<TermsChange> = {},
): SubscriptionEvent => ({
  type: 'SubscriptionAmendmentScheduled',
  data: {
    ...about,
    amendmentId,
    kind: 'amend',
    change: { ...nothing, ...change },
    prorate: true,
    effectiveAt,
    at: B0,
  },
});
const pause = (pauseAt: string, resumeAt: string): SubscriptionEvent => ({
  type: 'SubscriptionPauseScheduled',
  data: { ...about, pauseAt, resumeAt },
});
const next = (...events: SubscriptionEvent[]) => {
  const upcoming = nextBilledPeriod(given(...events).state()!);
  return upcoming && [upcoming.billedAt, upcoming.bill?.billedAt ?? null];
};

describe('the next bill of a subscription', () => {
  it('is the first bill, even if changes without a bill come before', () => {
    expect(next(paying)).toEqual([B1, B1]);
    // The change at `at` has nothing to change, so it bills nothing.
    expect(next(paying, scheduled('amd_1', at))).toEqual([B1, B1]);
    expect(next(paying, pause(at, B1))).toEqual([at, at]);
  });

  it('is at the end of the first charged period if nothing will be billed', () => {
    expect(next(quiet)).toEqual([B1, null]);
    expect(next(quiet, scheduled('amd_1', at))).toEqual([B1, null]);
    expect(next(quiet, cancellationScheduled(at))).toEqual([at, null]);
    expect(next(quiet, cancellationScheduled(B1))).toEqual([B1, null]);
  });

  it('is not at the end of a pause, nor of the time before one', () => {
    const [early, resumed] = ['2026-02-10T10:00:00.000Z', '2026-03-10T10:00:00.000Z'];
    expect(next(quiet, pause(at, early))).not.toBeNull();
    expect(next(quiet, pause(at, resumed))).toEqual(['2026-04-10T10:00:00.000Z', null]);
    expect(next(quiet, pause(at, B1))).toEqual(['2026-03-28T10:00:00.000Z', null]);
    expect(next(quiet, pause(B1, B2))).toEqual(['2026-04-30T10:00:00.000Z', null]);
  });

  it('is null for a subscription that has ended or is paused without an end', () => {
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: { ...about, at, resumeAt: null, bill: null, run: null },
    };
    expect(next(paying, paused)).toBeNull();
  });
});

describe('the first period that ends without a bill', () => {
  const end = (...events: SubscriptionEvent[]) => firstPeriodEndWithoutBill(given(...events).state()!);

  it('does not come if a bill comes first', () => {
    expect(end(paying)).toBeNull();
    // The end gives the unused part of the fee back with a bill.
    expect(next(paying, cancellationScheduled(at))).toEqual([at, at]);
    expect(end(paying, cancellationScheduled(at))).toBeNull();
    expect(end(paying, pause(at, B1))).toBeNull();
  });

  it('ends at its boundary, at the end of the subscription, or when a pause begins', () => {
    expect(end(quiet)).toBe(B1);
    expect(end(quiet, cancellationScheduled(at))).toBe(at);
    expect(end(quiet, pause(at, B1))).toBe(at);
  });

  it('does not end with a change of terms, nor with a pause', () => {
    expect(end(quiet, scheduled('amd_1', at))).toBe(B1);
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: { ...about, at: B0, resumeAt: at, bill: null, run: null },
    };
    // The period after the pause begins at the resumption, and has no end before a month.
    expect(end(quiet, paused)).toBe('2026-03-14T10:00:00.000Z');
  });

  it('does not come for a subscription that is paused without an end', () => {
    const paused: SubscriptionEvent = {
      type: 'SubscriptionPaused',
      data: { ...about, at, resumeAt: null, bill: null, run: null },
    };
    expect(end(quiet, paused)).toBeNull();
  });
});

describe('the bill of a scheduled change', () => {
  const of = (amendmentId: string, ...events: SubscriptionEvent[]) => {
    const come = upcomingAmendment(given(paying, ...events).state()!, amendmentId);
    return come && [come.bill?.billedAt, come.billsBefore.map(({ billedAt }) => billedAt)];
  };
  const change = { plan: plan(big) };

  it('comes after the bills before it', () => {
    expect(of('amd_1', scheduled('amd_1', at, change))).toEqual([at, []]);
    expect(of('amd_1', scheduled('amd_1', B1, change))).toEqual([B1, []]);
    expect(of('amd_1', scheduled('amd_1', B2, change))).toEqual([B2, [B1]]);
    const between = scheduled('amd_0', at);
    expect(of('amd_1', between, scheduled('amd_1', B2, change))).toEqual([B2, [B1]]);
  });

  it('is not that of another change', () => {
    const [first, second] = [scheduled('amd_1', at, change), scheduled('amd_2', B2, { plan: plan(ahead) })];
    expect(of('amd_2', first, second)).toEqual([B2, [at, B1]]);
    expect(of('amd_9', first)).toBeNull();
  });

  it('is null if the change will be skipped, or if the subscription ends before', () => {
    expect(of('amd_1', scheduled('amd_1', at))).toBeNull();
    expect(of('amd_1', scheduled('amd_1', B2, change), cancellationScheduled(B1))).toBeNull();
  });

  it('follows a price migration that comes before it', () => {
    const moved = { ...plan(big), planId: 'plan_2' };
    const migration: PlannedMigration = {
      fromPlanId: 'plan_1',
      effectiveAt: B1,
      plannedAt: B0,
      amendment: {
        amendmentId: 'amd_move',
        kind: 'price_migration',
        prorate: true,
        change: { ...nothing, plan: moved },
      },
    };
    const state = given(paying, scheduled('amd_1', B2, { addPrices: [setup] })).state()!;
    const come = upcomingAmendment(state, 'amd_1', [migration])!;
    expect(come.subscription).toMatchObject({ planId: 'plan_2', period: { end: month(2).end } });
  });
});
