import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import {
  about,
  ahead,
  B0,
  B1,
  B2,
  B3,
  behind,
  bill,
  canceled,
  cancellationScheduled,
  charge,
  created,
  pass,
  plan,
  quarterly,
  renewed,
  setup,
  subscriptionId,
  usage,
} from '../../../../test/support/sample-subscription.js';
import { usageBill } from '../bill.js';
import { subscriptionDecider } from '../decider.js';
import type { SubscriptionEvent } from '../events.js';
import { nextBilledPeriod } from '../upcoming.js';

const { given } = decide(subscriptionDecider);

describe('renewing a subscription', () => {
  const before = created([usage, ahead], null);

  it('bills the period that ends in arrears, and the one that starts in advance', () => {
    given(before)
      .when(pass(B1))
      .then(renewed(1, bill('cycle', B1, [B0, B1], [charge(usage, B0, B1), charge(ahead, B1, B2)])));
  });

  it('passes one boundary at a time, each as of its own instant, however late', () => {
    const first = bill('cycle', B1, [B0, B1], [charge(usage, B0, B1), charge(ahead, B1, B2)]);
    given(before, renewed(1, first))
      .when(pass(B2, '2026-09-01T00:00:00.000Z'))
      .then(renewed(2, bill('cycle', B2, [B1, B2], [charge(usage, B1, B2), charge(ahead, B2, B3)])));
  });

  it('does nothing before the boundary, and nothing once it was passed', () => {
    given(before).when(pass(B1, '2026-02-28T09:59:59.999Z')).then();
    given(before, renewed(1, null)).when(pass(B1, B2)).then();
    given(before, canceled(B0, null)).when(pass(B1)).then();
  });

  it('bills nothing if nothing is due', () => {
    const first = bill('cycle', B0, [B0, B1], [charge(setup, B0, B0)]);
    given(created([setup], first))
      .when(pass(B1))
      .then(renewed(1, null));
  });

  it('is refused for a subscription that does not exist', () => {
    given().when(pass(B1)).refused('subscription_not_found');
  });
});

describe('billing usage early', () => {
  const at = '2026-02-10T00:00:00.000Z';
  const interim = {
    ...bill('interim', at, [B0, at], [charge(usage, B0, at, { start: B0, end: B1 })]),
    invoiceId: 'inv_interim',
  };
  const billed: SubscriptionEvent = {
    type: 'SubscriptionUsageBilled',
    data: { subscriptionId, through: at, bill: interim },
  };
  const before = created([usage, ahead, quarterly], null);
  const state = given(before).state()!;

  it('bills only the metered prices that it names, up to the instant', () => {
    expect(usageBill(state, at, 'inv_interim', ['usage', 'ahead', 'quarterly'])).toEqual(interim);
    expect(usageBill(state, at, 'inv_interim', ['quarterly']).charges).toEqual([]);
    expect(usageBill(state, B0, 'inv_interim', ['usage']).charges).toEqual([]);
  });

  it('records the bill as it was measured', () => {
    const bill = usageBill(state, at, 'inv_interim', ['usage', 'ahead', 'quarterly']);
    given(before).when({ type: 'BillUsage', subscriptionId, bill }).then(billed);
  });

  it('leaves only later usage to the next bill', () => {
    const rest = charge(usage, at, B1, { start: B0, end: B1 });
    given(before, billed)
      .when(pass(B1))
      .then(renewed(1, bill('cycle', B1, [B0, B1], [rest, charge(ahead, B1, B2)])));
  });

  it('is refused if the usage was billed, or the period renewed, since it was measured', () => {
    const again = { type: 'BillUsage', subscriptionId, bill: interim } as const;
    const cycle = bill('cycle', B1, [B0, B1], [charge(usage, B0, B1)]);
    given(before, billed).when(again).refused('subscription_changed');
    given(before, renewed(1, cycle)).when(again).refused('subscription_changed');
    given(before, canceled(at, null)).when(again).refused('subscription_canceled');
    const paused = given(before, {
      type: 'SubscriptionPaused',
      data: { ...about, at, resumeAt: null, bill: null, run: null },
    });
    const measured = usageBill(paused.state()!, '2026-02-20T00:00:00.000Z', 'inv_later', ['usage']);
    paused.when({ type: 'BillUsage', subscriptionId, bill: measured }).refused('subscription_changed');
  });
});

describe('the upcoming bill', () => {
  const before = created([usage, ahead], null);

  it('is what the renewal will bill', () => {
    const { period, billedAt, bill: upcoming } = nextBilledPeriod(given(before).state()!)!;
    expect(upcoming).toEqual(given(before).when(pass(B1)).state()!.lastBill);
    expect([period.start, billedAt]).toEqual([B0, B1]);
  });

  it('is what the cancellation will bill, if one is scheduled', () => {
    const ending = given(created([usage, behind], null), cancellationScheduled(B1));
    expect(nextBilledPeriod(ending.state()!)!.bill).toEqual(ending.when(pass(B1)).state()!.lastBill);
  });

  it('is the first bill of a subscription in its trial, or of one that starts later', () => {
    const trialEnd = '2026-02-14T10:00:00.000Z';
    const period = { index: 0, start: B0, end: B0 };
    const pending = created([ahead], null, { phase: 'pending', anchor: trialEnd, trialEnd, period });
    expect(nextBilledPeriod(given(pending).state()!)).toMatchObject({
      billedAt: trialEnd,
      bill: { charges: [charge(ahead, trialEnd, '2026-03-14T10:00:00.000Z')] },
    });
  });

  it('is what follows a scheduled change that will bill nothing, fail or be skipped', () => {
    const scheduled = (change: object, prorate = true): SubscriptionEvent => ({
      type: 'SubscriptionAmendmentScheduled',
      data: {
        subscriptionId,
        customerId: 'cust_1',
        amendmentId: 'amd_1',
        kind: 'amend',
        prorate,
        change: { plan: null, addPrices: [], removePrices: [], quantities: {}, ...change },
        effectiveAt: '2026-02-14T00:00:00.000Z',
        at: B0,
      },
    });
    const renewal = given(before).when(pass(B1)).state()!.lastBill;
    for (const change of [{ removePrices: ['gone'] }, { addPrices: [usage] }])
      expect(nextBilledPeriod(given(before, scheduled(change)).state()!)).toMatchObject({ bill: renewal });
    const later = { ...ahead, version: 2 };
    const unbilled = created([ahead], null);
    expect(
      nextBilledPeriod(given(unbilled, scheduled({ addPrices: [later] }, false)).state()!),
    ).toMatchObject({
      billedAt: B1,
      bill: { charges: [charge(later, B1, B2)] },
    });
  });

  it('is the first one that bills something, even if a period ends without a bill before', () => {
    const toArrears: SubscriptionEvent = {
      type: 'SubscriptionAmendmentScheduled',
      data: {
        subscriptionId,
        customerId: 'cust_1',
        amendmentId: 'amd_1',
        kind: 'amend',
        prorate: true,
        change: { plan: plan(behind), addPrices: [], removePrices: [], quantities: {} },
        effectiveAt: B1,
        at: B0,
        atPeriodEnd: true,
      },
    };
    expect(nextBilledPeriod(given(created([ahead], null), toArrears).state()!)).toMatchObject({
      billedAt: B2,
      bill: { charges: [charge(behind, B1, B2)] },
    });
  });

  it('is null at the end of a period for which nothing is due', () => {
    expect(nextBilledPeriod(given(created([setup], null)).state()!)).toMatchObject({
      billedAt: B1,
      bill: null,
    });
  });

  it('is absent for a subscription that has ended', () => {
    expect(nextBilledPeriod(given(before, canceled(B0, null)).state()!)).toBeNull();
  });
});
