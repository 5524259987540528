import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verificationOf } from '../support/ledger-verification.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  requestsOf,
  startSystem,
  subscribe,
  use,
  type System,
  type TestWorkspace,
} from '../support/index.js';

/*
 * A year of one subscription, driven over HTTP and the workspace's clock. What each invoice says was worked out by hand,
 * by the rules of the README; all instants are midnights in UTC.
 */

let system: System;
let workspace: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
});
afterAll(async () => system?.stop());

const { get, post } = requestsOf(() => workspace);
const midnight = (day: string) => `${day}T00:00:00.000Z`;
const goTo = (day: string) => advanceClock(workspace, midnight(day));

interface Line {
  type: string;
  description: string;
  amount: number;
  periodStart: string;
  periodEnd: string;
}

const printed = ({ type, description, amount, periodStart, periodEnd }: Line) =>
  [type, description, amount.toFixed(2), periodStart.slice(0, 10), periodEnd.slice(0, 10)].join(' | ');

it('a year comes to what was worked out by hand, line by line, and the ledger agrees', async () => {
  await freezeClock(workspace, midnight('2026-01-31'));
  const metricId = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const monthly = (name: string, amount: number) => fee(name, amount, { timing: 'in_advance' });
  const small = await createPlan(workspace, monthly('Small', 31), perUnit('Calls', metricId, 0.1));
  const large = await createPlan(workspace, monthly('Large', 62), perUnit('Calls', metricId, 0.05));
  const raised = await createPlan(workspace, monthly('Small 2027', 46.5), perUnit('Calls', metricId, 0.2));
  const { customerId, subscriptionId } = await subscribe(workspace, small, {
    subscription: { trialDays: 59 },
  });
  await post(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' }, 201);
  const path = `/v1/subscriptions/${subscriptionId}`;
  const calls = async (day: string, n: number) => {
    await goTo(day);
    await use(workspace, customerId, 'call', midnight(day), { n });
  };
  let seen = 0;
  /** What has been invoiced since this was last asked: of each invoice its total and its lines. */
  const invoiced = async (): Promise<[total: string, ...lines: string[]][]> => {
    // What an action of this instant leads to is done when the clock has been moved on.
    const { now } = await get('/v1/sandbox/clock');
    await advanceClock(workspace, new Date(Date.parse(now) + 1_000).toISOString());
    const { data } = await get(`/v1/invoices?customer_id=${customerId}&page_size=100`);
    const fresh = (data as { total: number; status: string; lines: Line[] }[]).toReversed().slice(seen);
    seen += fresh.length;
    expect(fresh.map(({ status }) => status)).toEqual(fresh.map(() => 'paid'));
    return fresh.map(({ total, lines }) => [total.toFixed(2), ...lines.map(printed)]);
  };
  const balance = async () => (await get(`/v1/customers/${customerId}/balances`)).data[0]?.balance ?? 0;

  // 59 days of trial from 31 January: 28 to 28 February, 31 more to 31 March. They are free, with what is used in them.
  await calls('2026-02-10', 20);
  await goTo('2026-03-31');
  expect(await invoiced()).toEqual([['31.00', 'flat | Small | 31.00 | 2026-03-31 | 2026-04-30']]);

  // April has no 31st, so its period ends on the 30th. 100 × 0.10 = 10.00.
  await calls('2026-04-10', 100);
  await goTo('2026-04-30');
  expect(await invoiced()).toEqual([
    [
      '41.00',
      'flat | Small | 31.00 | 2026-04-30 | 2026-05-31',
      'usage | Calls | 10.00 | 2026-03-31 | 2026-04-30',
    ],
  ]);

  // Upgrade with 15 of the 31 days from 30 April to 31 May left: 31 × 15/31 = 15.00 back, 62 × 15/31 = 30.00 more; 40 × 0.10 so far.
  await calls('2026-05-05', 40);
  await goTo('2026-05-16');
  await post(`${path}/amend`, { planId: large });
  expect(await invoiced()).toEqual([
    [
      '19.00',
      'credit | Small (unused part of the period) | -15.00 | 2026-05-16 | 2026-05-31',
      'flat | Large (part of the period) | 30.00 | 2026-05-16 | 2026-05-31',
      'usage | Calls | 4.00 | 2026-04-30 | 2026-05-16',
    ],
  ]);

  // The month goes back to the 31st. 200 × 0.05 since the upgrade.
  await calls('2026-05-20', 200);
  await goTo('2026-05-31');
  expect(await invoiced()).toEqual([
    [
      '72.00',
      'flat | Large | 62.00 | 2026-05-31 | 2026-06-30',
      'usage | Calls | 10.00 | 2026-05-16 | 2026-05-31',
    ],
  ]);

  // A coupon of 10 % for three invoices, and a downgrade at the period's end: June by the large plan, July by the small one.
  // 31.00 + 100 × 0.05 = 36.00, less 3.60.
  await goTo('2026-06-01');
  const coupon = { name: 'Summer', percentOff: 10, duration: 'repeating', durationInInvoices: 3 };
  const { id: couponId } = await post('/v1/coupons', coupon, 201);
  await post(`${path}/coupons`, { couponId }, 201);
  await post(`${path}/schedule-amendment`, { planId: small });
  await calls('2026-06-12', 100);
  await goTo('2026-06-30');
  expect(await invoiced()).toEqual([
    [
      '32.40',
      'flat | Small | 31.00 | 2026-06-30 | 2026-07-31',
      'usage | Calls | 5.00 | 2026-05-31 | 2026-06-30',
    ],
  ]);

  // Pause with 16 of the 31 days from 30 June to 31 July left. The fee was billed at 31.00 less 3.10: 27.90 × 16/31 = 14.40 back.
  await goTo('2026-07-15');
  await post(`${path}/pause`);
  expect(await invoiced()).toEqual([
    [
      '0.00',
      'usage | Calls | 0.00 | 2026-06-30 | 2026-07-15',
      'credit | Small (unused part of the period) | -14.40 | 2026-07-15 | 2026-07-31',
    ],
  ]);
  expect(await balance()).toBe(14.4);

  // Periods begin anew with the resumption. The second invoice of the coupon; the balance pays its part of 27.90.
  await goTo('2026-08-15');
  await post(`${path}/resume`);
  expect(await invoiced()).toEqual([['27.90', 'flat | Small | 31.00 | 2026-08-15 | 2026-09-15']]);
  expect(await balance()).toBe(0);

  // 30 calls of 20 April come in September: 3.00 by the price of then, as a line of its own. 50 × 0.10 of this period.
  // The coupon's last invoice: 39.00 less 3.90.
  await goTo('2026-09-01');
  const late = { customerId, eventName: 'call', timestamp: midnight('2026-04-20'), properties: { n: 30 } };
  await post('/v1/events/backfill', late);
  await calls('2026-09-03', 50);
  await goTo('2026-09-15');
  expect(await invoiced()).toEqual([
    [
      '35.10',
      'flat | Small | 31.00 | 2026-09-15 | 2026-10-15',
      'usage | Calls | 5.00 | 2026-08-15 | 2026-09-15',
      'late_usage | Calls (late usage) | 3.00 | 2026-03-31 | 2026-04-30',
    ],
  ]);

  // The small plan's prices are raised for all on 30 October, with 16 of the 31 days from 15 October left:
  // 31 × 16/31 = 16.00 back, 46.50 × 16/31 = 24.00 more; 10 × 0.10 until then.
  const migration = { name: 'Prices of 2027', fromPlanId: small, toPlanId: raised };
  await post('/v1/price-migrations', { ...migration, effectiveAt: midnight('2026-10-30') }, 201);
  await goTo('2026-10-15');
  expect(await invoiced()).toEqual([
    [
      '31.00',
      'flat | Small | 31.00 | 2026-10-15 | 2026-11-15',
      'usage | Calls | 0.00 | 2026-09-15 | 2026-10-15',
    ],
  ]);
  await calls('2026-10-20', 10);
  await goTo('2026-10-30');
  expect(await invoiced()).toEqual([
    [
      '9.00',
      'credit | Small (unused part of the period) | -16.00 | 2026-10-30 | 2026-11-15',
      'flat | Small 2027 (part of the period) | 24.00 | 2026-10-30 | 2026-11-15',
      'usage | Calls | 1.00 | 2026-10-15 | 2026-10-30',
    ],
  ]);

  // By the new prices: 10 × 0.20 in November, 5 × 0.20 in December.
  await calls('2026-11-05', 10);
  await calls('2026-12-25', 5);
  await goTo('2027-01-15');
  expect(await invoiced()).toEqual([
    [
      '48.50',
      'flat | Small 2027 | 46.50 | 2026-11-15 | 2026-12-15',
      'usage | Calls | 2.00 | 2026-10-30 | 2026-11-15',
    ],
    [
      '46.50',
      'flat | Small 2027 | 46.50 | 2026-12-15 | 2027-01-15',
      'usage | Calls | 0.00 | 2026-11-15 | 2026-12-15',
    ],
    [
      '47.50',
      'flat | Small 2027 | 46.50 | 2027-01-15 | 2027-02-15',
      'usage | Calls | 1.00 | 2026-12-15 | 2027-01-15',
    ],
  ]);

  // Canceled at once with 16 of the 31 days from 15 January left: 46.50 × 16/31 = 24.00 back, less 5 × 0.20.
  await calls('2027-01-27', 5);
  await goTo('2027-01-30');
  await post(`${path}/cancel`, { immediately: true });
  expect(await invoiced()).toEqual([
    [
      '0.00',
      'usage | Calls | 1.00 | 2027-01-15 | 2027-01-30',
      'credit | Small 2027 (unused part of the period) | -24.00 | 2027-01-30 | 2027-02-15',
    ],
  ]);
  expect(await balance()).toBe(23);

  await goTo('2027-03-31');
  expect(await invoiced()).toEqual([]);
  const verified = await verificationOf(system);
  expect(verified.found).toEqual([]);
  expect(verified).toMatchObject({ invoiceCount: 14 });
}, 480_000);
