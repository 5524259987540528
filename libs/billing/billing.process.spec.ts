import { describe, it } from '@jest/globals';
import type { PriceSnapshot } from '#libs/rating';
import type { Bill, SubscriptionEvent } from '#libs/subscriptions';
import { react, recorded } from '#libs/testing';
import { BillingProcess } from './billing.process.js';

const stream = 'subscription-acc_1.sub_1';
const subscriptionId = 'sub_1';
const customerId = 'cust_1';
const start = '2026-01-31T00:00:00.000Z';
const end = '2026-02-28T00:00:00.000Z';
const next = '2026-03-31T00:00:00.000Z';
const run = { runId: 'run_1', trigger: 'schedule' } as const;

const fee: PriceSnapshot = {
  priceId: 'price_1',
  version: 1,
  name: 'Base fee',
  config: { model: 'flat', amount: '20', currency: 'USD' },
  cadence: 'monthly',
  timing: 'in_advance',
  metricId: null,
};
const bill: Bill = {
  invoiceId: 'inv_1',
  kind: 'cycle',
  subscriptionId,
  customerId,
  currency: 'USD',
  billedAt: start,
  periodStart: start,
  periodEnd: end,
  charges: [{ price: fee, service: { start, end }, period: { start, end } }],
};
const created = (first: Bill | null): SubscriptionEvent => ({
  type: 'SubscriptionCreated',
  data: {
    subscriptionId,
    customerId,
    planId: 'plan_1',
    planVersion: 1,
    planName: 'Pro',
    currency: 'USD',
    timezone: 'UTC',
    anchor: start,
    startedAt: start,
    createdAt: start,
    billingInterval: 'monthly',
    prices: [fee],
    period: { index: 0, start, end },
    bill: first,
  },
});

const issue = { name: 'issue-invoice', payload: { bill } };
const passAt = (dueAt: string) => ({ name: 'pass-boundary', payload: { subscriptionId }, dueAt });

// What is performed is not reacted to: the collaborators play no part here.
const when = (event: SubscriptionEvent) =>
  react(new BillingProcess(undefined!, undefined!, undefined!)).when(recorded(stream, event));

describe('billing reacts', () => {
  it('to a new subscription by invoicing its first bill at once, and with a timer at the first boundary', () => {
    when(created(bill)).then(issue, passAt(end));
  });

  it('with the timer alone where nothing is due at the start', () => {
    when(created(null)).then(passAt(end));
  });

  it('to a renewal by invoicing its bill, and with a timer at the next boundary', () => {
    const period = { index: 1, start: end, end: next };
    when({ type: 'SubscriptionRenewed', data: { subscriptionId, customerId, period, bill, run } }).then(
      issue,
      passAt(next),
    );
  });

  it('to usage that was billed, and to the end, by invoicing and no timer', () => {
    when({ type: 'SubscriptionUsageBilled', data: { subscriptionId, through: start, bill } }).then(issue);
    const canceled = { subscriptionId, customerId, at: end, reason: 'requested', run: null } as const;
    when({ type: 'SubscriptionCanceled', data: { ...canceled, bill } }).then(issue);
    when({ type: 'SubscriptionCanceled', data: { ...canceled, bill: null } }).then();
  });

  it('not to a cancellation that is scheduled: the timer of the boundary will find it', () => {
    when({ type: 'SubscriptionCancellationScheduled', data: { subscriptionId, at: end } }).then();
  });

  it('not to what others record', () => {
    react(new BillingProcess(undefined!, undefined!, undefined!))
      .when(recorded('customer-acc_1.cust_1', { type: 'CustomerDeleted', data: { customerId } }))
      .then();
  });
});
