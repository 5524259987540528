import { describe, expect, it } from '@jest/globals';
import { deriveUlid } from '#libs/kernel/core';
import { decide } from '#libs/kernel/testing';
import {
  ahead,
  B0,
  B1,
  bill,
  canceled,
  charge,
  create,
  created,
  pass,
  renewed,
  subscriptionId,
  usage,
} from '../../../../test/support/sample-subscription.js';
import { progressiveBill } from '../bill.js';
import { startCommitment } from '../commitment-progress.js';
import { subscriptionDecider } from '../decider.js';
import type { Bill, SubscriptionEvent } from '../events.js';
import { billingThresholdsOf } from '../subscription.js';

const { given } = decide(subscriptionDecider);

const at = '2026-02-10T00:00:00.000Z';
const justAfter = '2026-02-10T00:00:00.001Z';
const later = '2026-02-20T00:00:00.000Z';
const period = { start: B0, end: B1 };
const thresholds = { billingThresholds: { amountGte: '100' } };

/** The progressive bill at an instant; `ordinal` counts all bills before it. */
const progressive = (instant: string, end: string, ordinal: number, invoicedBy?: string[]): Bill => ({
  ...bill(
    'progressive',
    instant,
    [B0, end],
    [{ ...charge(usage, B0, end, period), ...(invoicedBy ? { invoicedBy } : {}), progressive: true }],
  ),
  invoiceId: deriveUlid('inv', B0, subscriptionId, 'progressive', String(ordinal)),
});
const billed = (of: Bill): SubscriptionEvent => ({
  type: 'SubscriptionUsageBilled',
  data: { subscriptionId, through: of.periodEnd, bill: of },
});
const first = progressive(at, justAfter, 0);
const second = progressive(later, '2026-02-20T00:00:00.001Z', 1, [first.invoiceId]);
const whole = (...invoicedBy: string[]) => ({ ...charge(usage, B0, B1), invoicedBy });
const before = created([usage, ahead], null, thresholds);
/** The bill that the caller has measured, made by the same function as the decision. */
const measured = (instant: string, ...history: SubscriptionEvent[]): Bill =>
  progressiveBill(given(...history).state()!, instant)!;
const billProgress = (of: Bill) => ({ type: 'BillProgress', subscriptionId, bill: of }) as const;

describe('billing usage that has reached a threshold', () => {
  it('charges all metered usage since the period began, and leaves it on the bill of the period’s end too', () => {
    expect(progressiveBill(given(before).state()!, at)).toEqual(first);
    given(before)
      .when(billProgress(measured(at, before)))
      .then(billed(first));
    given(before, billed(first))
      .when(billProgress(measured(later, before, billed(first))))
      .then(billed(second));
    given(before, billed(first), billed(second))
      .when(pass(B1))
      .then(
        renewed(
          1,
          bill(
            'cycle',
            B1,
            [B0, B1],
            [whole(first.invoiceId, second.invoiceId), charge(ahead, B1, '2026-03-31T10:00:00.000Z')],
          ),
        ),
      );
  });

  it('begins again with each period', () => {
    const cycle = bill('cycle', B1, [B0, B1], [whole(first.invoiceId)]);
    const next = given(before, billed(first), renewed(1, cycle)).state()!;
    expect(next.items[0]).toEqual({ price: usage, quantity: '1', since: B1 });
    expect(progressiveBill(next, '2026-03-05T00:00:00.000Z')!.charges).toEqual([
      {
        ...charge(usage, B1, '2026-03-05T00:00:00.001Z', { start: B1, end: '2026-03-31T10:00:00.000Z' }),
        progressive: true,
      },
    ]);
  });

  it('is subtracted on the bill of a cancellation or a pause', () => {
    given(before, billed(first))
      .when({ type: 'CancelSubscription', subscriptionId, when: 'now', at: later })
      .then(
        canceled(
          later,
          bill(
            'final',
            later,
            [B0, later],
            [{ ...charge(usage, B0, later, period), invoicedBy: [first.invoiceId] }],
          ),
        ),
      );
    const pause = { type: 'PauseSubscription', subscriptionId, pauseAt: null, resumeAt: null } as const;
    const paused = given(before, billed(first))
      .when({ ...pause, at: later })
      .state()!;
    expect(paused.lastBill!.charges).toEqual([
      { ...charge(usage, B0, later, period), invoicedBy: [first.invoiceId] },
    ]);
    expect(paused.items[0]).toEqual({ price: usage, quantity: '1', since: later });
  });

  it('happens once, because a bill that was measured before a change is ignored', () => {
    const again = billProgress(measured(at, before));
    given(before, billed(first)).when(again).then();
    given(before, renewed(1, null)).when(again).then();
    given(before, canceled(at, null)).when(again).then();
    given(created([usage, ahead], null))
      .when(again)
      .then();
  });

  it('waits for the period’s end when it has happened a hundred times', () => {
    const items = (count: number) => [
      {
        price: usage,
        quantity: '1',
        since: B0,
        invoicedBy: Array.from({ length: count }, (_, i) => `inv_${i}`),
      },
    ];
    const state = given(before).state()!;
    expect(progressiveBill({ ...state, items: items(99) }, at)).not.toBeNull();
    expect(progressiveBill({ ...state, items: items(100) }, at)).toBeNull();
  });

  it('does not count towards the minimum commitment, because the whole usage does', () => {
    const state = given(before, billed(first)).state()!;
    expect(state.commitmentProgress).toEqual(startCommitment(state, B0, null));
  });

  it('has nothing to bill without a metered price, and nothing before its period', () => {
    expect(progressiveBill(given(created([ahead], null, thresholds)).state()!, at)).toBeNull();
    expect(progressiveBill(given(before).state()!, '2026-01-01T00:00:00.000Z')).toBeNull();
  });
});

describe('the threshold of a subscription', () => {
  const of = (more: Parameters<typeof create>[1], plan: object = {}) => {
    const command = create([usage], more);
    return billingThresholdsOf(
      given()
        .when({ ...command, plan: { ...command.plan, ...plan } })
        .state()!,
    );
  };

  it('is the plan’s, unless it has one of its own, or none', () => {
    expect(of({})).toBeNull();
    expect(of({}, thresholds)).toEqual({ amountGte: '100' });
    expect(of({ billingThresholds: { amountGte: '7' } }, thresholds)).toEqual({ amountGte: '7' });
    expect(of({ billingThresholds: null }, thresholds)).toBeNull();
  });

  it('changes with the plan, unless the subscription has its own', () => {
    const plan = { planId: 'plan_2', planVersion: 1, planName: 'Max', currency: 'USD', prices: [usage] };
    const amend = {
      type: 'AmendSubscription',
      subscriptionId,
      amendmentId: 'amd_1',
      kind: 'amend',
      prorate: true,
      at,
    } as const;
    const to = (more: object, event: SubscriptionEvent) => {
      const change = { plan: { ...plan, ...more }, addPrices: [], removePrices: [], quantities: {} };
      return billingThresholdsOf(
        given(event)
          .when({ ...amend, change })
          .state()!,
      );
    };
    expect(to({ billingThresholds: { amountGte: '200' } }, before)).toEqual({ amountGte: '200' });
    expect(to({}, before)).toBeNull();
    const own = created([usage], null, { ...thresholds, ownBillingThresholds: { amountGte: '9' } });
    expect(to({ billingThresholds: { amountGte: '200' } }, own)).toEqual({ amountGte: '9' });
  });
});
