import { describe, expect, it } from '@jest/globals';
import type { Amendment } from '#libs/subscriptions';
import { isToMove } from './is-to-move.js';

const migration = { fromPlanId: 'plan_1' };
const amendment = (amendmentId: string): Amendment => ({
  amendmentId,
  kind: 'amend',
  change: { plan: null, addPrices: [], removePrices: [], quantities: {} },
  prorate: true,
  status: 'applied',
  requestedAt: '2027-01-01T00:00:00.000Z',
  effectiveAt: '2027-01-01T00:00:00.000Z',
  invoiceId: null,
  failure: null,
  atPeriodEnd: false,
  replacedBy: null,
});
const move = (phase: 'active' | 'canceled', planId: string, ...amendmentIds: string[]): boolean =>
  isToMove({ phase, planId, amendments: amendmentIds.map(amendment) }, migration, 'amd_move');

describe('a subscription', () => {
  it('is moved from the one plan, unless it has ended', () => {
    expect(move('active', 'plan_1')).toBe(true);
    expect(move('active', 'plan_1', 'amd_other')).toBe(true);
    expect(move('canceled', 'plan_1')).toBe(false);
    expect(move('active', 'plan_3')).toBe(false);
  });

  it('is left as it is if it went over by hand: prices that were added to the plan would be lost', () => {
    expect(move('active', 'plan_2', 'amd_by_hand')).toBe(false);
  });

  it('counts as moved when a batch is repeated that had moved it, whatever came then', () => {
    expect(move('active', 'plan_2', 'amd_move')).toBe(true);
    expect(move('active', 'plan_3', 'amd_move', 'amd_by_hand')).toBe(true);
    expect(move('canceled', 'plan_2', 'amd_move')).toBe(true);
  });
});
