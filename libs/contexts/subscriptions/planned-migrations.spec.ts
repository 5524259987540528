import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { ahead, B0, B1, B2, created, month, plan } from '../../../test/support/sample-subscription.js';
import { subscriptionDecider } from './decider.js';
import { joinedPlanAfter, migrationTakesEffectAt } from './planned-migrations.js';
import type { Amendment, Subscription } from './subscription.js';

const { given } = decide(subscriptionDecider);
const early = '2026-01-01T00:00:00.000Z';
const within = '2026-02-10T00:00:00.000Z';
const state = given(created([ahead], null, { at: early })).state()!;
const planned = (effectiveAt: string, plannedAt = within) => ({
  fromPlanId: 'plan_1',
  effectiveAt,
  plannedAt,
  amendment: { amendmentId: 'amd_move' },
});
const applied = (more: Partial<Amendment> = {}): Amendment => ({
  amendmentId: 'amd_0',
  kind: 'amend',
  prorate: true,
  effectiveAt: B0,
  atPeriodEnd: false,
  replacedBy: null,
  status: 'applied',
  requestedAt: early,
  invoiceId: null,
  failure: null,
  change: { plan: plan(ahead), addPrices: [], removePrices: [], quantities: {} },
  ...more,
});
const as = (more: Partial<Subscription>): Subscription => ({ ...state, ...more });

describe('a planned migration', () => {
  it('takes effect at its instant, or at the first end of a period after it was planned', () => {
    expect(migrationTakesEffectAt(planned(B1), state, B1)).toBe(true);
    expect(migrationTakesEffectAt(planned(B2), state, B1)).toBe(false);
    expect(migrationTakesEffectAt(planned('period_end'), state, B1)).toBe(true);
    expect(migrationTakesEffectAt(planned('period_end'), state, within)).toBe(false);
    expect(migrationTakesEffectAt(planned('period_end'), state, '2026-02-20T00:00:00.000Z')).toBe(false);
    expect(migrationTakesEffectAt(planned('period_end', B1), state, B1)).toBe(false);
    expect(migrationTakesEffectAt(planned('period_end', B0), state, B1)).toBe(true);
  });

  it('is not tried again at a later end of a period', () => {
    const next = as({ period: month(1) });
    expect(migrationTakesEffectAt(planned('period_end'), next, B2)).toBe(false);
    expect(migrationTakesEffectAt(planned('period_end', B1), next, B2)).toBe(true);
    // After a pause, the periods are counted again, so this one is the first again.
    expect(migrationTakesEffectAt(planned('period_end'), as({ period: { ...month(1), index: 0 } }), B2)).toBe(
      true,
    );
    expect(
      migrationTakesEffectAt(planned('period_end'), as({ period: month(1), phase: 'trialing' }), B2),
    ).toBe(true);
  });

  it('moves a subscription that is on the plan, is not paused and has not been moved', () => {
    expect(migrationTakesEffectAt(planned(B1), as({ planId: 'plan_2' }), B1)).toBe(false);
    expect(migrationTakesEffectAt(planned('period_end'), as({ phase: 'paused' }), B1)).toBe(false);
    const moved = as({
      amendments: [applied({ amendmentId: 'amd_1' }), applied({ amendmentId: 'amd_move' })],
    });
    expect(migrationTakesEffectAt(planned(B1), moved, B1)).toBe(false);
    expect(migrationTakesEffectAt(planned(B1), as({ amendments: [applied()] }), B1)).toBe(true);
  });
});

describe('whether a subscription came to its plan after an instant', () => {
  const since = (...amendments: Amendment[]) => joinedPlanAfter(as({ amendments }), within);

  it('depends on the creation of the subscription', () => {
    expect(joinedPlanAfter(state, within)).toBe(false);
    expect(joinedPlanAfter(state, early)).toBe(false);
    expect(joinedPlanAfter(state, '2025-12-31T00:00:00.000Z')).toBe(true);
  });

  it('depends on the change to this plan, and not on a move to a newer version of it', () => {
    const after = { effectiveAt: B1 };
    expect(since(applied(after))).toBe(true);
    expect(since(applied({ effectiveAt: within }))).toBe(false);
    expect(since(applied())).toBe(false);
    expect(since(applied({ ...after, status: 'scheduled' }))).toBe(false);
    expect(since(applied({ ...after, kind: 'migrate' }))).toBe(false);
    const other = {
      plan: { ...plan(ahead), planId: 'plan_2' },
      addPrices: [],
      removePrices: [],
      quantities: {},
    };
    expect(since(applied({ ...after, change: other }))).toBe(false);
    expect(since(applied({ ...after, change: { ...other, plan: null } }))).toBe(false);
  });
});
