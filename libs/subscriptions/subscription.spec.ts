import { describe, expect, it } from '@jest/globals';
import { deriveId } from '#libs/core';
import { billingInterval, type Period, type PriceSnapshot } from '#libs/rating';
import { decide } from '#libs/testing';
import { usageBill } from './bill.js';
import type { Bill, BillingPeriod, SubscriptionAgreement, SubscriptionEvent } from './events.js';
import { subscriptionDecider, upcomingBill, type SubscriptionCommand } from './subscription.js';

const subscriptionId = 'sub_1';
const customerId = 'cust_1';
const run = { runId: 'run_1', trigger: 'schedule' } as const;

/** Boundaries of a month that the next one lacks: 31 January, 28 February, 31 March. */
const B0 = '2026-01-31T10:00:00.000Z';
const B1 = '2026-02-28T10:00:00.000Z';
const B2 = '2026-03-31T10:00:00.000Z';
const B3 = '2026-04-30T10:00:00.000Z';
const B12 = '2027-01-31T10:00:00.000Z';

const price = (priceId: string, more: Partial<PriceSnapshot> = {}): PriceSnapshot => ({
  priceId,
  version: 1,
  name: priceId,
  config: { model: 'flat', amount: '20', currency: 'USD' },
  cadence: 'monthly',
  timing: 'in_arrears',
  metricId: null,
  ...more,
});
const usage = price('usage', {
  config: { model: 'unit', unitPrice: '0.01', currency: 'USD' },
  cadence: 'usage_based',
  metricId: 'met_1',
});
const ahead = price('ahead', { timing: 'in_advance' });
const yearly = price('yearly', { cadence: 'annual', timing: 'in_advance' });
const quarterly = price('quarterly', { cadence: 'quarterly' });
const setup = price('setup', { cadence: 'one_time', timing: 'in_advance' });

const charge = (of: PriceSnapshot, start: string, end: string, period: Period = { start, end }) => ({
  price: of,
  service: { start, end },
  period,
});

const bill = (
  kind: Bill['kind'],
  billedAt: string,
  [periodStart, periodEnd]: [string, string],
  charges: Bill['charges'],
  invoiceId = deriveId('inv', subscriptionId, kind, billedAt),
): Bill => ({
  invoiceId,
  kind,
  subscriptionId,
  customerId,
  currency: 'USD',
  billedAt,
  periodStart,
  periodEnd,
  charges,
});

const plan = (...prices: PriceSnapshot[]) => ({
  planId: 'plan_1',
  planVersion: 3,
  planName: 'Pro',
  currency: 'USD',
  prices,
});

const create = (...prices: PriceSnapshot[]): SubscriptionCommand => ({
  type: 'CreateSubscription',
  subscriptionId,
  customerId,
  plan: plan(...prices),
  timezone: 'UTC',
  at: B0,
});

const created = (first: Bill | null, ...prices: PriceSnapshot[]): SubscriptionEvent => {
  const agreement: SubscriptionAgreement = {
    subscriptionId,
    customerId,
    ...plan(...prices),
    timezone: 'UTC',
    anchor: B0,
    startedAt: B0,
    createdAt: B0,
    billingInterval: billingInterval(prices),
  };
  return { type: 'SubscriptionCreated', data: { ...agreement, period: month(0), bill: first } };
};

const BOUNDARIES = [B0, B1, B2, B3];
const month = (index: number): BillingPeriod => ({
  index,
  start: BOUNDARIES[index]!,
  end: BOUNDARIES[index + 1]!,
});

const renew = (index: number, at: string, more: object = {}): SubscriptionCommand => ({
  type: 'RenewSubscription',
  subscriptionId,
  index,
  at,
  run,
  endBecause: null,
  ...more,
});
const renewed = (index: number, cycle: Bill | null): SubscriptionEvent => ({
  type: 'SubscriptionRenewed',
  data: { subscriptionId, customerId, period: month(index), bill: cycle, run },
});
const scheduled = (at: string): SubscriptionEvent => ({
  type: 'SubscriptionCancellationScheduled',
  data: { subscriptionId, at },
});
const cancel = (at: string, immediately: boolean): SubscriptionCommand => ({
  type: 'CancelSubscription',
  subscriptionId,
  immediately,
  at,
});
const canceled = (at: string, final: Bill | null, more: object = {}): SubscriptionEvent => ({
  type: 'SubscriptionCanceled',
  data: { subscriptionId, customerId, at, reason: 'requested', bill: final, run: null, ...more },
});

const { given } = decide(subscriptionDecider);

describe('creating a subscription', () => {
  it('pins the prices, and bills at once what is in advance and what is charged once', () => {
    const first = bill(
      'cycle',
      B0,
      [B0, B1],
      [charge(ahead, B0, B1), charge(yearly, B0, B12), charge(setup, B0, B0)],
    );
    given()
      .when(create(usage, ahead, yearly, setup))
      .then(created(first, usage, ahead, yearly, setup));
  });

  it('bills nothing at the start of what is in arrears', () => {
    given().when(create(usage)).then(created(null, usage));
  });

  it('does nothing the second time', () => {
    given(created(null, usage)).when(create(usage)).then();
  });
});

describe('renewing a subscription', () => {
  const before = created(null, usage, ahead);

  it('bills the period that ends in arrears, and the one that starts in advance', () => {
    given(before)
      .when(renew(0, B1))
      .then(renewed(1, bill('cycle', B1, [B0, B1], [charge(usage, B0, B1), charge(ahead, B1, B2)])));
  });

  it('goes one boundary at a time, each at its own instant, however late', () => {
    given(before, renewed(1, null))
      .when(renew(1, '2026-09-01T00:00:00.000Z'))
      .then(renewed(2, bill('cycle', B2, [B1, B2], [charge(usage, B1, B2), charge(ahead, B2, B3)])));
  });

  it('does nothing before the boundary, and nothing once it was passed', () => {
    given(before).when(renew(0, '2026-02-28T09:59:59.999Z')).then();
    given(before, renewed(1, null)).when(renew(0, B2)).then();
    given(before, canceled(B0, null)).when(renew(0, B1)).then();
  });

  it('bills nothing where nothing is due', () => {
    const first = bill('cycle', B0, [B0, B1], [charge(setup, B0, B0)]);
    given(created(first, setup)).when(renew(0, B1)).then(renewed(1, null));
  });

  it('ends the subscription instead if its customer is gone', () => {
    given(before)
      .when(renew(0, B1, { endBecause: 'customer_deleted' }))
      .then(
        canceled(B1, bill('final', B1, [B0, B1], [charge(usage, B0, B1)]), {
          reason: 'customer_deleted',
          run,
        }),
      );
  });

  it('is not for a subscription that never was', () => {
    given().when(renew(0, B1)).refused('subscription_not_found');
  });
});

describe('billing usage within a period', () => {
  const at = '2026-02-10T00:00:00.000Z';
  const interim = bill('interim', at, [B0, at], [charge(usage, B0, at, month0())], 'inv_interim');
  const billed: SubscriptionEvent = {
    type: 'SubscriptionUsageBilled',
    data: { subscriptionId, through: at, bill: interim },
  };
  const before = created(null, usage, ahead, quarterly);
  const state = given(before).state()!;

  it('takes only the metered prices that it is told to, up to the instant', () => {
    expect(usageBill(state, at, 'inv_interim', ['usage', 'ahead', 'quarterly'])).toEqual(interim);
    expect(usageBill(state, at, 'inv_interim', ['quarterly'])).toBeNull();
    expect(usageBill(state, B0, 'inv_interim', ['usage'])).toBeNull();
  });

  it('records the bill as it was measured', () => {
    given(before).when({ type: 'BillUsage', subscriptionId, bill: interim }).then(billed);
  });

  it('leaves to the next bill only what came after it', () => {
    given(before, billed)
      .when(renew(0, B1))
      .then(
        renewed(1, bill('cycle', B1, [B0, B1], [charge(usage, at, B1, month0()), charge(ahead, B1, B2)])),
      );
  });

  it('is refused if the usage was billed, or the period renewed, since it was measured', () => {
    const again = { type: 'BillUsage', subscriptionId, bill: interim } as const;
    given(before, billed).when(again).refused('subscription_changed');
    given(before, renewed(1, null)).when(again).refused('subscription_changed');
    given(before, canceled(at, null)).when(again).refused('subscription_canceled');
  });

  function month0(): Period {
    return { start: B0, end: B1 };
  }
});

describe('canceling at the end of the period', () => {
  const before = created(null, usage, ahead);

  it('leaves the subscription active until then', () => {
    given(before).when(cancel('2026-02-10T00:00:00.000Z', false)).then(scheduled(B1));
    expect(given(before, scheduled(B1)).state()).toMatchObject({ status: 'active', cancelAt: B1 });
  });

  it('does nothing the second time', () => {
    given(before, scheduled(B1)).when(cancel('2026-02-11T00:00:00.000Z', false)).then();
  });

  it('bills at the boundary what is in arrears, and no next period', () => {
    given(before, scheduled(B1))
      .when(renew(0, B1))
      .then(canceled(B1, bill('final', B1, [B0, B1], [charge(usage, B0, B1)]), { run }));
  });

  it('cuts longer periods there', () => {
    given(created(null, usage, ahead, quarterly), scheduled(B1))
      .when(renew(0, B1))
      .then(
        canceled(
          B1,
          bill(
            'final',
            B1,
            [B0, B1],
            [charge(usage, B0, B1), charge(quarterly, B0, B1, { start: B0, end: B3 })],
          ),
          { run },
        ),
      );
  });
});

describe('canceling now', () => {
  const at = '2026-03-10T12:00:00.000Z';
  const inArrears = price('behind');
  const before = [created(null, usage, ahead, inArrears), renewed(1, null)];

  it('bills what is in arrears up to the instant, and nothing else', () => {
    const second = { start: B1, end: B2 };
    given(...before)
      .when(cancel(at, true))
      .then(
        canceled(
          at,
          bill('final', at, [B1, at], [charge(usage, B1, at, second), charge(inArrears, B1, at, second)]),
        ),
      );
  });

  it('overrides a cancellation that was scheduled', () => {
    const state = given(...before, scheduled(B2))
      .when(cancel(at, true))
      .state();
    expect(state).toMatchObject({ status: 'canceled', cancelAt: at, canceledAt: at });
  });

  it('bills nothing at the very start of a period, whose predecessor has been billed', () => {
    given(...before)
      .when(cancel(B1, true))
      .then(canceled(B1, null));
  });

  it('takes effect at the renewal if the clock was read before it', () => {
    given(...before)
      .when(cancel('2026-02-28T09:00:00.000Z', true))
      .then(canceled(B1, null));
  });

  it('waits for a boundary that is due', () => {
    given(...before)
      .when(cancel(B2, true))
      .refused('billing_behind');
  });

  it('is refused once it has ended', () => {
    given(...before, canceled(at, null))
      .when(cancel(at, true))
      .refused('already_canceled');
    given(...before, canceled(at, null))
      .when(cancel(at, false))
      .refused('already_canceled');
    given().when(cancel(at, true)).refused('subscription_not_found');
  });
});

describe('the upcoming bill', () => {
  const before = created(null, usage, ahead);

  it('is what the renewal will bill', () => {
    const state = given(before).state()!;
    expect(upcomingBill(state)).toEqual(given(before).when(renew(0, B1)).state()!.lastBill);
    const ending = given(before, scheduled(B1));
    expect(upcomingBill(ending.state()!)).toEqual(ending.when(renew(0, B1)).state()!.lastBill);
  });

  it('is none of a subscription that has ended', () => {
    expect(upcomingBill(given(before, canceled(B0, null)).state()!)).toBeNull();
  });
});
