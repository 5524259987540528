import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  amend,
  B0,
  B1,
  bill,
  charge,
  created,
  price,
  setup,
  subscriptionId,
  termsChange,
  usage,
  yearly,
} from '../../../test/support/sample-subscription.js';
import { progressiveBill, usageBill } from './bill.js';
import { subscriptionDecider } from './decider.js';
import type { SubscriptionEvent } from './events.js';

const { given } = decide(subscriptionDecider);
const at = '2026-02-14T10:00:00.000Z';
const paused: SubscriptionEvent = {
  type: 'SubscriptionPaused',
  data: { ...about, at: '2026-02-10T10:00:00.000Z', resumeAt: null, bill: null, run: null },
};
const texts = price('texts', { ...usage, priceId: 'texts' });

describe('a one-time price', () => {
  const before = created([ahead, setup], null);

  it('is not charged again in another version', () => {
    const newer = { ...setup, version: 2 };
    const other = { ...setup, priceId: 'other' };
    const state = given(before)
      .when(amend({ addPrices: [newer, other] }))
      .state()!;
    expect(state.lastBill!.charges).toEqual([charge(other, at, at)]);
    expect(
      given(before)
        .when(amend({ addPrices: [newer] }))
        .state()!.lastBill,
    ).toBeNull();
  });

  it('is billed at once during a pause, on a bill of that instant', () => {
    const other = { ...setup, priceId: 'other' };
    expect(
      given(before, paused)
        .when(amend({ addPrices: [other] }))
        .state()!.lastBill,
    ).toEqual(bill('amendment', at, [at, at], [charge(other, at, at)], 0));
  });
});

describe('the bill of a change', () => {
  it('is, at the end of a period, for that period, even if the periods are counted again from there', () => {
    const scheduled: SubscriptionEvent = {
      type: 'SubscriptionAmendmentScheduled',
      data: {
        ...about,
        amendmentId: 'amd_1',
        kind: 'amend',
        prorate: true,
        effectiveAt: B1,
        at: B0,
        change: termsChange({ addPrices: [yearly], removePrices: ['ahead'] }),
      },
    };
    const state = given(created([ahead], null), scheduled)
      .when({
        type: 'AdvanceSubscription',
        subscriptionId,
        due: B1,
        at: B1,
        run: { runId: 'r', trigger: 'schedule' },
      })
      .state()!;
    expect(state.billingInterval).toBe('annual');
    expect(state.lastBill).toMatchObject({ kind: 'cycle', periodStart: B0, periodEnd: B1 });
  });
});

describe('a bill of usage within a period', () => {
  /** `texts` is charged only since the change, and is before `usage` in the list. */
  const both = given(created([usage], null))
    .when(
      amend({
        plan: { planId: 'plan_1', planVersion: 4, planName: 'Pro', currency: 'USD', prices: [texts, usage] },
      }),
    )
    .state()!;
  const later = '2026-02-20T10:00:00.000Z';

  it('begins at the earliest time up to which one of its prices was billed', () => {
    expect(both.items.map(({ since }) => since)).toEqual([at, B0]);
    expect(usageBill(both, later, 'inv_1', ['usage', 'texts'])).toMatchObject({
      periodStart: B0,
      periodEnd: later,
    });
    expect(progressiveBill(both, later)).toMatchObject({ periodStart: B0 });
  });

  it('ends with the period at the latest', () => {
    const state = given(created([usage], null)).state()!;
    expect(progressiveBill(state, B1)).toMatchObject({ periodEnd: B1 });
    expect(progressiveBill(state, later)).toMatchObject({ periodEnd: '2026-02-20T10:00:00.001Z' });
  });

  it('waits for the end of the period once one of its prices was billed a hundred times', () => {
    const invoicedBy = Array.from({ length: 100 }, (_, i) => `inv_${i}`);
    const items = both.items.map((item, i) => (i === 0 ? { ...item, invoicedBy } : item));
    expect(progressiveBill({ ...both, items }, later)).toBeNull();
  });
});
