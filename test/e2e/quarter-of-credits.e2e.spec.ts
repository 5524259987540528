import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verifyWallets } from '#apps/cli';
import { verifyReadModels } from '../../apps/cli/projections/verify.js';
import { verificationOf } from '../support/ledger-verification.js';
import {
  advanceClock,
  chargedMetric,
  createPlan,
  fee,
  freezeClock,
  ledgerBalances,
  requestsOf,
  settle,
  startSystem,
  type System,
  type TestWorkspace,
} from '../support/index.js';

/*
 * A quarter of one customer with prepaid credits, driven over HTTP and the workspace's clock. Every figure was worked out by hand, by the
 * rules of docs/prepaid.md and docs/ledger.md. All days are of 2026, and all instants are midnights in UTC. The tax is 10 %. A credit costs
 * 0.01 USD, and 0.02 USD beyond the prepaid ones. A unit costs half a credit, and from 1 March on a whole one.
 */

let system: System;
let workspace: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
});
afterAll(async () => system?.stop());

const { get, post, put, create, invoicesOf } = requestsOf(() => workspace);
const goTo = (day: string) => advanceClock(workspace, `2026-${day}T00:00:00.000Z`);

it('a quarter of prepaid credits comes to what was worked out by hand, in the wallet and in the books', async () => {
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  const { id: taxId } = await create('/v1/tax-rates', { name: 'VAT', percentage: 10 });
  await put('/v1/billing-settings', { defaultTaxRateIds: [taxId] });
  const wallet = await chargedMetric(post)({ overage: 'allow', overagePrice: 0.02 });
  const { customerId, metricId, path } = wallet;
  await create('/v1/credit-types/ai-credits/rates', {
    metricId,
    creditsPerUnit: 1,
    effectiveAt: '2026-03-01T00:00:00Z',
  });
  const monthly = (name: string, amount: number) =>
    createPlan(workspace, fee(name, amount, { timing: 'in_advance' }));
  const [small, large] = [await monthly('Small', 31), await monthly('Large', 62)];
  const allowances = '/v1/credit-types/ai-credits/allowances';
  const rollover = { minimum: 0, maximum: 200 };
  await create(allowances, { planId: small, credits: 1_000, every: 'month', rollover });
  await create(allowances, { planId: large, credits: 3_691, every: 'month' });
  await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });

  /** Uses units on a day, and answers the balance right then, before the usage is recorded. */
  const use = async (day: string, units: number): Promise<number> => {
    await goTo(day);
    const { accepted } = await wallet.use(units);
    expect(accepted).toHaveLength(1);
    return balance();
  };
  const balance = async () => (await get(path)).balance as number;
  const settled = async () => {
    await settle(workspace);
    return balance();
  };
  const buy = (body: object) => create(`${path}/purchases`, body);

  const used = 'used | Tokens, AI credits';
  let seen = 0;
  /** What has been invoiced since this was last asked: of each invoice its kind, status and total, its lines and what credits paid for. */
  const invoiced = async () => {
    const all = await invoicesOf(customerId);
    const fresh = all.slice(seen);
    seen = all.length;
    return fresh.map(({ kind, status, total, lines, creditsUsed }) => [
      `${kind} ${status} ${total.toFixed(2)}`,
      ...lines.map(
        (line) => `${line.type} | ${line.description} | ${line.quantity} | ${line.amount.toFixed(2)}`,
      ),
      ...creditsUsed.map(
        ({ metricName, creditTypeName, credits }) => `used | ${metricName}, ${creditTypeName} | ${credits}`,
      ),
    ]);
  };

  // 1 January: 31.00 and 3.10 of tax.
  const { id: subscriptionId } = await create('/v1/subscriptions', { customerId, planId: small });
  const subscription = `/v1/subscriptions/${subscriptionId}`;
  expect(await settled()).toBe(1_000);
  expect(await invoiced()).toEqual([['cycle paid 34.10', 'flat | Small | 1 | 31.00']]);
  expect(await ledgerBalances(workspace)).toEqual({ cash: 34.1, tax_payable: -3.1, deferred_revenue: -31 });

  // 300 for free until 20 January, used before all others. 500 units cost 250 of them.
  await goTo('01-05');
  await create(`${path}/grants`, {
    amount: 300,
    source: 'promotional',
    priority: 0,
    expiresAt: '2026-01-20T00:00:00Z',
  });
  expect(await balance()).toBe(1_300);
  expect(await use('01-10', 500)).toBe(1_050);

  // By card: 4.00 and 0.40. By invoice: 333 × 0.03 = 9.99 and 1.00 of tax. The latter count when they are paid.
  await goTo('01-12');
  expect(await buy({ credits: 400 })).toMatchObject({ status: 'active', total: 4.4 });
  expect(await settled()).toBe(1_450);
  await goTo('01-15');
  const onAccount = await buy({ credits: 333, unitPrice: 0.03, collection: 'send_invoice' });
  expect(onAccount).toMatchObject({
    status: 'pending_payment',
    total: 10.99,
    invoice: { status: 'open', dueDate: '2026-02-14T00:00:00.000Z' },
  });
  expect(await balance()).toBe(1_450);

  // The 50 that are left of the promotion end.
  await advanceClock(workspace, '2026-01-19T23:59:59.999Z');
  expect(await balance()).toBe(1_450);
  await goTo('01-20');
  expect(await balance()).toBe(1_400);
  // 700 of the allowance, which expires before the bought credits do.
  expect(await use('01-25', 1_400)).toBe(700);
  expect((await get(path)).blocks).toMatchObject([
    { remaining: 300, allowance: { rolledOver: 0 } },
    { remaining: 400, costBasis: 4 },
    { status: 'pending_payment' },
  ]);

  // Of the 300 that are left of the allowance, 200 roll over: 1,200 and the 400 that were bought. January used 250 + 700 credits.
  await goTo('02-01');
  expect(await balance()).toBe(1_600);
  expect(await invoiced()).toEqual([
    ['credit_purchase paid 4.40', 'credit_purchase | AI credits (prepaid credits) | 400 | 4.00'],
    ['credit_purchase open 10.99', 'credit_purchase | AI credits (prepaid credits) | 333 | 9.99'],
    ['cycle paid 34.10', 'flat | Small | 1 | 31.00', `${used} | 950`],
  ]);
  // Cash: 34.10 + 4.40. Tax: 3.10 + 0.40 + 1.00.
  expect(await ledgerBalances(workspace, '2026-01-31')).toEqual({
    cash: 38.5,
    accounts_receivable: 10.99,
    tax_payable: -4.5,
    prepaid_credits: -13.99,
    revenue: -31,
  });

  // 1,450: the allowance whole, and 250 of the 400, which is 2.50 USD.
  expect(await use('02-10', 2_900)).toBe(150);
  await goTo('02-12');
  await put(`${path}/auto-top-up`, { threshold: 100, credits: 250, maxPerMonth: 2 });
  // 60, so 90 are left: below the threshold. But a purchase is unpaid, so nothing is bought.
  expect(await use('02-13', 120)).toBe(90);
  expect(await settled()).toBe(90);
  // Six days late.
  await goTo('02-20');
  expect(await balance()).toBe(90);
  await post(`/v1/invoices/${onAccount.invoice.id}/pay`);
  expect(await settled()).toBe(423);
  expect(await invoiced()).toEqual([]);

  // 330: the last 90 of the 400, and 240 of the 333. The remaining 93 are below the threshold: the first top-up.
  expect(await use('02-21', 660)).toBe(93);
  expect(await settled()).toBe(343);
  // Prepaid: 93 of 333 for 9.99 are 2.79. The top-up is 2.50.
  expect(await ledgerBalances(workspace)).toMatchObject({ prepaid_credits: -5.29 });
  // 250: the 93, and 157 of the first top-up, of which 93 are left again: the second top-up.
  expect(await use('02-22', 500)).toBe(93);
  expect(await settled()).toBe(343);
  // 300: the 93, and 207 of the second top-up. The third one waits for March.
  expect(await use('02-23', 600)).toBe(43);
  expect(await settled()).toBe(43);
  expect(await ledgerBalances(workspace)).toMatchObject({ prepaid_credits: -0.43 });

  // Another purchase by card, 5.00 and 0.50. 173 are the last 43 of the top-up and 130 of these 500.
  await goTo('02-24');
  const unwanted = await buy({ credits: 500 });
  expect(await settled()).toBe(543);
  expect(await use('02-25', 346)).toBe(370);
  // The rest of them is voided: 3.70 and 0.37 of tax go back to the card.
  await goTo('02-26');
  expect(await post(`${path}/blocks/${unwanted.id}/void`, { creditNote: true })).toMatchObject({
    balance: 0,
  });
  expect(await settled()).toBe(0);
  expect((await get(`/v1/invoices/${unwanted.invoice.id}/credit-notes`)).data).toMatchObject([
    { total: 4.07, refundAmount: 4.07, lines: [{ amount: 3.7 }], taxes: [{ taxable: 3.7, amount: 0.37 }] },
  ]);
  // Nothing is left, and nothing may be bought: 50 are overage.
  expect(await use('02-27', 100)).toBe(0);

  // Nothing rolls over. The allowance comes before the top-up that waited, so there is none. The overage is 50 × 0.02 = 1.00: 32.00 and 3.20 of tax.
  // February used 1,450 + 60 + 330 + 250 + 300 + 173 credits. The void of 370 is no use.
  await goTo('03-01');
  expect(await balance()).toBe(1_000);
  const topUp = ['credit_purchase paid 2.75', 'credit_purchase | AI credits (prepaid credits) | 250 | 2.50'];
  const overage = 'overage | Tokens, AI credits (beyond the prepaid credits)';
  expect(await invoiced()).toEqual([
    topUp,
    topUp,
    ['credit_purchase paid 5.50', 'credit_purchase | AI credits (prepaid credits) | 500 | 5.00'],
    ['cycle paid 35.20', 'flat | Small | 1 | 31.00', `${overage} | 50 | 1.00`, `${used} | 2563`],
  ]);
  // Cash: 38.50 + 34.10 + 10.99 + 2 × 2.75 + 5.50 - 4.07. Tax: 4.50 + 3.10 + 2 × 0.25 + 0.50 - 0.37.
  // Revenue: two fees of 31.00, the bought credits but for the 370: 4.00 + 9.99 + 2 × 2.50 + 1.30, and the overage of 1.00, which was not
  // invoiced yet.
  expect(await ledgerBalances(workspace, '2026-02-28')).toEqual({
    cash: 90.52,
    tax_payable: -8.23,
    revenue: -83.29,
    unbilled_receivables: 1,
  });

  // Usage of February comes in March. It costs what a unit cost then, 60 × 0.5, and takes what is there now.
  await goTo('03-05');
  await wallet.use(60, { timestamp: '2026-02-10T12:00:00Z' });
  expect(await balance()).toBe(970);
  // A unit costs a whole credit now.
  expect(await use('03-08', 300)).toBe(670);

  // The 670 end with the small plan. 21 of the 31 days of March are left. The large plan grants 3,691 × 21/31 = 2,500, rounded down.
  // 31 × 21/31 = 21.00 back, 62 × 21/31 = 42.00 more: 21.00 and 2.10 of tax.
  await goTo('03-11');
  await post(`${subscription}/amend`, { planId: large });
  expect(await settled()).toBe(2_500);
  expect(await invoiced()).toEqual([
    [
      'amendment paid 23.10',
      'credit | Small (unused part of the period) | 1 | -21.00',
      'flat | Large (part of the period) | 1 | 42.00',
    ],
  ]);

  // 50 are left: the first top-up of March.
  expect(await use('03-12', 2_450)).toBe(50);
  expect(await settled()).toBe(300);
  // 100 units of January cost half a credit each. These 50 are the last of the allowance.
  await goTo('03-15');
  const january = { customerId, eventName: 'tokens', properties: { count: 100 } };
  await post('/v1/events/backfill', { ...january, timestamp: '2026-01-15T00:00:00Z' });
  expect(await balance()).toBe(250);
  // 40 for free, from 18 March on.
  await goTo('03-16');
  await create(`${path}/grants`, {
    amount: 40,
    source: 'promotional',
    priority: 0,
    effectiveAt: '2026-03-18T00:00:00Z',
    expiresAt: '2026-03-25T00:00:00Z',
  });
  expect(await balance()).toBe(250);
  await goTo('03-18');
  expect(await balance()).toBe(290);
  // 290 of 400 are covered, and 110 are overage. Then comes the second top-up of March.
  expect(await use('03-19', 400)).toBe(0);
  expect(await settled()).toBe(250);

  // Canceled with 12 of the 31 days left: 62 × 12/31 = 24.00 back, less the overage of 110 × 0.02 = 2.20. With the tax of 2.18, 23.98 go
  // to the balance. The bought credits stay. March used 30 + 300 + 2,450 + 50 + 290 credits: usage of January too, since it came in March.
  await goTo('03-20');
  await post(`${subscription}/cancel`, { immediately: true });
  expect(await settled()).toBe(250);
  expect(await invoiced()).toEqual([
    topUp,
    topUp,
    [
      'final paid 0.00',
      'credit | Large (unused part of the period) | 1 | -24.00',
      `${overage} | 110 | 2.20`,
      `${used} | 3120`,
    ],
  ]);
  const owed = async () => (await get(`/v1/customers/${customerId}/balances`)).data[0].balance as number;
  expect(await owed()).toBe(23.98);
  expect(await ledgerBalances(workspace)).toMatchObject({ customer_credit: -23.98 });

  // The balance pays 1.00 and 0.10 for 100 credits until 28 March, so they count at once. 60 are used, and 40 expire: 0.40 of breakage.
  await goTo('03-21');
  await buy({ credits: 100, collection: 'send_invoice', expiresAt: '2026-03-28T00:00:00Z' });
  expect(await settled()).toBe(350);
  expect(await owed()).toBe(22.88);
  expect(await use('03-22', 60)).toBe(290);
  await goTo('03-28');
  expect(await balance()).toBe(250);

  // 200 of the second top-up. The third one of March waits again. The last 50 are used, and 30 are overage.
  expect(await use('03-30', 200)).toBe(50);
  expect(await settled()).toBe(50);
  expect(await use('03-31', 80)).toBe(0);
  expect(await settled()).toBe(0);

  // April has a top-up again, after the minute in which an allowance may come. The balance pays it: 22.88 - 2.75. The overage waits for an
  // invoice, as nothing is subscribed.
  await goTo('04-01');
  expect(await settled()).toBe(0);
  await advanceClock(workspace, '2026-04-01T00:01:00.000Z');
  expect(await balance()).toBe(250);
  expect(await owed()).toBe(20.13);
  expect(await invoiced()).toEqual([
    ['credit_purchase paid 1.10', 'credit_purchase | AI credits (prepaid credits) | 100 | 1.00'],
    topUp,
  ]);
  // Cash: 90.52 + 35.20 + 23.10 + 2 × 2.75. Tax: 8.23 + 3.20 + 2.10 + 2 × 0.25 - 2.18 + 0.10.
  // Revenue: 83.29, and in March 2.20 + 0.60 of overage, 10.00 and 18.00 of the fees, and 2 × 2.50 + 0.60 of credits. The 30 × 0.02 = 0.60
  // of the last day have no invoice.
  expect(await ledgerBalances(workspace, '2026-03-31')).toEqual({
    cash: 154.32,
    tax_payable: -11.95,
    customer_credit: -22.88,
    breakage: -0.4,
    revenue: -119.69,
    unbilled_receivables: 0.6,
  });
  expect(await ledgerBalances(workspace)).toEqual({
    cash: 154.32,
    tax_payable: -12.2,
    customer_credit: -20.13,
    prepaid_credits: -2.5,
    breakage: -0.4,
    revenue: -119.69,
    unbilled_receivables: 0.6,
  });

  const { data: entries } = await get(`${path}/ledger?limit=100`);
  const ledger = (entries as Record<string, string>[])
    .toReversed()
    .map(
      ({ createdAt, type, amount, balance: after }) =>
        `${createdAt!.slice(5, 10)} ${type} ${amount} ${after}`,
    );
  expect(ledger).toEqual([
    '01-01 granted 1000 1000',
    '01-05 granted 300 1300',
    '01-10 drawn_down -250 1050',
    '01-12 purchased 400 1450',
    '01-20 expired -50 1400',
    '01-25 drawn_down -700 700',
    '02-01 expired -300 400',
    '02-01 granted 1200 1600',
    '02-10 drawn_down -1450 150',
    '02-13 drawn_down -60 90',
    '02-20 purchased 333 423',
    '02-21 drawn_down -330 93',
    '02-21 purchased 250 343',
    '02-22 drawn_down -250 93',
    '02-22 purchased 250 343',
    '02-23 drawn_down -300 43',
    '02-24 purchased 500 543',
    '02-25 drawn_down -173 370',
    '02-26 voided -370 0',
    '02-27 drawn_down 0 0',
    '03-01 granted 1000 1000',
    '03-05 drawn_down -30 970',
    '03-08 drawn_down -300 670',
    '03-11 granted 2500 3170',
    '03-11 expired -670 2500',
    '03-12 drawn_down -2450 50',
    '03-12 purchased 250 300',
    '03-15 drawn_down -50 250',
    '03-16 granted 40 250',
    '03-19 drawn_down -290 0',
    '03-19 purchased 250 250',
    '03-21 purchased 100 350',
    '03-22 drawn_down -60 290',
    '03-28 expired -40 250',
    '03-30 drawn_down -200 50',
    '03-31 drawn_down -50 0',
    '04-01 purchased 250 250',
  ]);
  const beyond = (entries as { overage: number }[]).map((entry) => entry.overage).filter((n) => n !== 0);
  expect(beyond.toReversed()).toEqual([50, 110, 30]);

  // What each day posts to prepaid credits. Purchases are credits, so below zero. Uses, expiries and voids are debits.
  const booked = async (of: string) => {
    const { data } = await get(`/v1/ledger/entries?${of}&limit=100`);
    return (data as { date: string; account: string; debit: number; credit: number }[])
      .map(({ date, account, debit, credit }) => `${date.slice(5)} ${account} ${debit > 0 ? debit : -credit}`)
      .sort();
  };
  const onPrepaid = (await booked('account=prepaid_credits')).map((entry) =>
    entry.replace('prepaid_credits ', ''),
  );
  expect(onPrepaid).toEqual([
    '01-12 -4',
    '01-15 -9.99',
    '02-10 2.5',
    '02-13 0.6',
    '02-21 -2.5',
    '02-21 8.1',
    '02-22 -2.5',
    '02-22 4.36',
    '02-23 3',
    '02-24 -5',
    '02-25 1.73',
    '02-26 3.7',
    '03-12 -2.5',
    '03-19 -2.5',
    '03-19 2.5',
    '03-21 -1',
    '03-22 0.6',
    '03-28 0.4',
    '03-30 2',
    '03-31 0.5',
    '04-01 -2.5',
  ]);
  // The purchase that was voided: its invoice and its payment, then its credit note and the refund of it.
  expect(await booked(`invoice_id=${unwanted.invoice.id}`)).toEqual([
    '02-24 accounts_receivable -5.5',
    '02-24 accounts_receivable 5.5',
    '02-24 cash 5.5',
    '02-24 prepaid_credits -5',
    '02-24 tax_payable -0.5',
    '02-26 accounts_receivable -4.07',
    '02-26 accounts_receivable 4.07',
    '02-26 cash -4.07',
    '02-26 refunds 3.7',
    '02-26 tax_payable 0.37',
  ]);

  const env = { DATABASE_URL: system.database.url, EVENTSTORE_URL: system.node.url, DATABASE_POOL_SIZE: '4' };
  const quiet = { isTTY: false, write: () => true } as unknown as NodeJS.WriteStream;
  expect((await verificationOf(system)).found).toEqual([]);
  expect(await verifyWallets({}, env, quiet)).toMatchObject({ wallets: 1, mismatches: [] });
  const { differences, models } = await verifyReadModels([], { all: true, max: 5 }, env, quiet);
  const first = models.flatMap(({ tables }) => tables.flatMap((table) => table.first));
  expect({ differences, first }).toEqual({ differences: 0, first: [] });
}, 480_000);
