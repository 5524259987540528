import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { customerWithCard } from '../support/invoicing.js';
import { verificationOf } from '../support/ledger-verification.js';
import {
  advanceClock,
  createMetric,
  createPlan,
  freezeClock,
  ledgerBalances,
  perUnit,
  settle,
  startSystem,
  use,
  type System,
  type TestWorkspace,
} from '../support/index.js';

/*
 * Amounts that no card can be charged, in a sandbox. Each call costs 0.10 USD, and a month of usage is billed at its end. The smallest charge
 * in USD is 0.50. What is carried, collected and owed was worked out by hand.
 */

let system: System;
let workspace: TestWorkspace;
let planId: string;
let customerId: string;
let subscriptionId: string;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(async () => system?.stop());

beforeEach(async () => {
  workspace = await system.workspace();
  await freezeClock(workspace, '2026-01-01T00:00:00Z');
  const metricId = await createMetric(workspace, 'call');
  planId = await createPlan(workspace, perUnit('Calls', metricId, 0.1));
  customerId = await customerWithCard(workspace);
});

const set = (settings: object) => workspace.http.put('/v1/billing-settings', settings).expect(200);

async function subscribe(): Promise<void> {
  const { body } = await workspace.http.post('/v1/subscriptions', { customerId, planId }).expect(201);
  subscriptionId = body.id as string;
}

/** A month of 2026 in which so many calls were made, until its end. */
async function pass(month: number, calls: number): Promise<void> {
  const name = (of: number) => String(of).padStart(2, '0');
  await advanceClock(workspace, `2026-${name(month)}-11T00:00:00Z`);
  for (let call = 0; call < calls; call += 1)
    await use(workspace, customerId, 'call', `2026-${name(month)}-10T00:00:${name(call)}Z`);
  await advanceClock(workspace, `2026-${name(month + 1)}-01T00:00:00Z`);
}

/** The customer's invoices, oldest first. */
async function invoices(): Promise<{ id: string; [field: string]: unknown }[]> {
  const { body } = await workspace.http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
  const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id).reverse();
  return Promise.all(
    ids.map(
      async (id) => (await workspace.http.get(`/v1/invoices/${id}`).expect(200)).body as { id: string },
    ),
  );
}

async function attemptsOf({ id }: { id: string }): Promise<unknown[][]> {
  const { body } = await workspace.http.get(`/v1/invoices/${id}/payment-attempts`).expect(200);
  return (body as { data: { amount: number; status: string; failureCode: string | null }[] }).data.map(
    ({ amount, status, failureCode }) => [amount, failureCode ?? status],
  );
}

async function balance(): Promise<number | undefined> {
  const { body } = await workspace.http.get(`/v1/customers/${customerId}/balances`).expect(200);
  return (body as { data: { balance: number }[] }).data[0]?.balance;
}

async function statusOf(): Promise<unknown> {
  return (await workspace.http.get(`/v1/subscriptions/${subscriptionId}`).expect(200)).body.status;
}

/** The text of the hosted page of an invoice. */
async function pageOf({ id }: { id: string }): Promise<string> {
  const { body } = await workspace.http.get(`/v1/invoices/${id}/link`).expect(200);
  const { pathname } = new URL((body as { url: string }).url);
  const page = await workspace.http.get(pathname).expect(200);
  return page.text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

it('stay open without the setting, and leave the subscription as it is', async () => {
  await subscribe();
  await pass(1, 3);
  const [invoice] = await invoices();
  expect(invoice).toMatchObject({ status: 'open', total: 0.3, amountDue: 0.3, balanceApplied: 0 });
  expect(await attemptsOf(invoice!)).toEqual([[0.3, 'amount_too_small']]);
  expect(await statusOf()).toBe('active');
});

it('are carried to the next invoice with the setting, which collects them', async () => {
  await set({ carrySmallAmounts: true });
  await subscribe();
  await pass(1, 3);
  const [january] = await invoices();
  expect(january).toMatchObject({
    status: 'paid',
    total: 0.3,
    amountDue: 0,
    amountPaid: 0.3,
    payments: [{ method: 'balance', status: 'succeeded', amount: 0.3, carriedForward: true }],
  });
  expect(await attemptsOf(january!)).toEqual([]);
  expect(await balance()).toBe(-0.3);
  expect(await pageOf(january!)).toContain('Carried to your next invoice');
  expect(await ledgerBalances(workspace)).toEqual({ customer_credit: 0.3, revenue: -0.3 });

  // Nothing was used: an invoice over 0.00 collects nothing.
  await pass(2, 0);
  expect(await balance()).toBe(-0.3);

  // 0.30 and 0.10 are still too little.
  await pass(3, 1);
  expect((await invoices()).at(-1)).toMatchObject({
    status: 'paid',
    total: 0.1,
    balanceApplied: -0.3,
    amountPaid: 0.4,
    payments: [{ amount: 0.4, carriedForward: true }],
  });
  expect(await balance()).toBe(-0.4);

  await pass(4, 2);
  const april = (await invoices()).at(-1)!;
  expect(april).toMatchObject({ status: 'paid', total: 0.2, balanceApplied: -0.4, amountPaid: 0.6 });
  expect(await attemptsOf(april)).toEqual([[0.6, 'succeeded']]);
  expect(await pageOf(april)).toContain('Carried from earlier invoices');
  expect(await balance()).toBe(0);
  expect(await ledgerBalances(workspace)).toEqual({ cash: 0.6, revenue: -0.6 });
  expect((await verificationOf(system)).found).toEqual([]);
});

it('are owed again after a void of the invoice that collected them, and lowered by credit notes', async () => {
  await set({ carrySmallAmounts: true });
  await subscribe();
  await pass(1, 4);
  const methods = `/v1/customers/${customerId}/payment-methods`;
  const declining = { type: 'test', test: 'pm_card_chargeDeclined' };
  const { body: declined } = await workspace.http.post(methods, declining).expect(201);
  await workspace.http.post(`${methods}/${declined.id}/default`).expect(200);
  await pass(2, 10);
  const [january, february] = await invoices();
  expect(february).toMatchObject({ status: 'open', total: 1, balanceApplied: -0.4, amountDue: 1.4 });
  expect(await balance()).toBe(0);
  await workspace.http.post(`/v1/invoices/${february!.id}/void`).expect(200);
  await settle(workspace);
  expect(await balance()).toBe(-0.4);

  const note = { reason: 'other', amount: 0.1 };
  await workspace.http.post(`/v1/invoices/${january!.id}/credit-note`, note).expect(201);
  await settle(workspace);
  expect(await balance()).toBe(-0.3);
  // The customer pays it in cash.
  const cash = { amount: 0.3, reason: 'Paid at the counter', method: 'cash' };
  await workspace.http.post(`/v1/customers/${customerId}/balance`, cash).expect(200);
  expect(await balance()).toBe(0);
  expect(await ledgerBalances(workspace)).toEqual({ cash: 0.3, refunds: 0.1, revenue: -0.4 });
  expect((await verificationOf(system)).found).toEqual([]);
});

it('stay open if no next invoice comes', async () => {
  await set({ carrySmallAmounts: true });
  await subscribe();
  await workspace.http.post(`/v1/subscriptions/${subscriptionId}/cancel`, {}).expect(200);
  await pass(1, 3);
  const [last] = await invoices();
  expect(last).toMatchObject({ status: 'open', total: 0.3, amountDue: 0.3 });
  expect(await attemptsOf(last!)).toEqual([[0.3, 'amount_too_small']]);
  expect(await balance()).toBeUndefined();
});
