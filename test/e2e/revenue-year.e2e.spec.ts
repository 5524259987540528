import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { sumOf } from '#libs/kernel/core';
import { verificationOf } from '../support/ledger-verification.js';
import { readLedgerExtract } from '../../apps/cli/ledger/read-ledger-extract.js';
import { plainTextAccountName } from '#libs/outputs/books';
import { exportFormatNamed } from '../../apps/cli/ledger/export-format-named.js';
import { programFile } from '../support/installed.js';
import {
  advanceClock,
  chargedMetric,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  requestsOf,
  startSystem,
  subscribe,
  use,
  type System,
  type TestWorkspace,
} from '../support/index.js';

/*
 * A year of four customers, driven over HTTP and the workspace's clock. Every figure was worked out by hand, by the rules of
 * docs/revenue.md. All days are of 2026 in UTC, and there are no taxes.
 *
 * north   pays 1,200.00 a year in advance, and 0.10 for each call at the end of the year. From 1 July on it is 1,800.00 a year.
 * globex  pays 31.00 a month in advance, pauses on 11 March, and resumes on 1 May. It gets a credit note over 10.00 in February.
 * initech buys 100 credits for 50.00, uses 40 of them in January, and the rest expires on 15 March.
 * tokyo   pays JPY 120,000 a year in advance, and JPY 7 for each call.
 */

const run = promisify(execFile);
let system: System;
let workspace: TestWorkspace;
let folder: string;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  folder = await mkdtemp(join(tmpdir(), 'revenue-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await system?.stop();
});

const { get, post, put, create, invoicesOf } = requestsOf(() => workspace);
const goTo = (day: string, year = 2026) => advanceClock(workspace, `${year}-${day}T00:00:00.000Z`);

interface MonthRow {
  month: string;
  currency: string;
  status: string;
  billed: number;
  booked: number;
  recognised: number;
  deferred: number;
  unbilled: number;
  sources: Record<string, number>;
}

/** A month in one currency: recognised, deferred and unbilled at its end, billed. */
type Figures = readonly [
  month: string,
  currency: string,
  recognised: number,
  deferred: number,
  unbilled: number,
  billed: number,
];

/** Every month's figures, by hand. */
const YEAR: Figures[] = [
  // 101.92 of north's fee, 25.00 of its calls, 31.00 of globex, 20.00 of initech's credits.
  ['2026-01', 'USD', 177.92, 1128.08, 25, 1281],
  // 92.05 and 10.00 of north, 31.00 of globex, less the credit note.
  ['2026-02', 'USD', 123.05, 1036.03, 35, 21],
  // 101.92 of north, 10.00 of globex until its pause, 30.00 of credits that expired.
  ['2026-03', 'USD', 141.92, 904.11, 35, 10],
  ['2026-04', 'USD', 98.63, 805.48, 35, 0],
  ['2026-05', 'USD', 132.92, 703.56, 35, 31],
  // 98.63 and 8.00 of north, 31.00 of globex.
  ['2026-06', 'USD', 137.63, 604.93, 43, 31],
  // The upgrade gives back 604.93 of the old fee and charges 907.40 of the new one: 302.47. It is 152.88 for July.
  ['2026-07', 'USD', 183.88, 754.52, 43, 333.47],
  ['2026-08', 'USD', 183.86, 601.66, 43, 31],
  ['2026-09', 'USD', 178.95, 453.71, 43, 31],
  ['2026-10', 'USD', 183.89, 300.82, 43, 31],
  ['2026-11', 'USD', 178.94, 152.88, 43, 31],
  ['2026-12', 'USD', 183.88, 0, 43, 31],
  // 31 of 365 days of 120,000, and 30 calls.
  ['2026-01', 'JPY', 10402, 109808, 210, 120000],
  ['2026-02', 'JPY', 9205, 100603, 210, 0],
  ['2026-03', 'JPY', 10192, 90411, 210, 0],
  ['2026-04', 'JPY', 9863, 80548, 210, 0],
  ['2026-05', 'JPY', 10192, 70356, 210, 0],
  ['2026-06', 'JPY', 9863, 60493, 210, 0],
  ['2026-07', 'JPY', 10192, 50301, 210, 0],
  ['2026-08', 'JPY', 10191, 40110, 210, 0],
  ['2026-09', 'JPY', 9863, 30247, 210, 0],
  ['2026-10', 'JPY', 10192, 20055, 210, 0],
  ['2026-11', 'JPY', 9863, 10192, 210, 0],
  ['2026-12', 'JPY', 10192, 0, 210, 0],
];

it('a year comes to what was worked out by hand, in every report, in the books and in their export', async () => {
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  await put('/v1/billing-settings', { timezone: 'UTC' });
  const calls = await createMetric(workspace, 'Calls', { type: 'sum', property: 'n' }, 'call');
  const price = async (name: string, config: object, more: object) =>
    (await create('/v1/prices', { name, config, ...more })).id as string;
  const yearly = (name: string, amount: number, currency: string) =>
    price(name, { model: 'flat', amount, currency }, { cadence: 'annual', timing: 'in_advance' });
  const perCall = (unitPrice: number, currency: string) =>
    price('Calls', { model: 'unit', unitPrice, currency }, { metricId: calls, cadence: 'usage_based' });
  const plan = async (name: string, ...prices: string[]) =>
    (await create('/v1/plans', { name, prices })).id as string;
  const usage = await perCall(0.1, 'USD');
  const standard = await plan('Standard', await yearly('Standard', 1_200, 'USD'), usage);
  const plus = await plan('Plus', await yearly('Plus', 1_800, 'USD'), usage);
  const japan = await plan('Japan', await yearly('Japan', 120_000, 'JPY'), await perCall(7, 'JPY'));
  const monthly = await plan(
    'Monthly',
    await price('Monthly', { model: 'flat', amount: 31, currency: 'USD' }, { timing: 'in_advance' }),
  );
  const subscribed = async (name: string, planId: string) => {
    const { id: customerId } = await create('/v1/customers', { name });
    return {
      customerId,
      path: `/v1/subscriptions/${(await create('/v1/subscriptions', { customerId, planId })).id}`,
    };
  };
  const north = await subscribed('Northwind', standard);
  const globex = await subscribed('Globex', monthly);
  const tokyo = await subscribed('Tokyo', japan);
  const wallet = await chargedMetric(post)({ unitPrice: 0.5 }, { creditsPerUnit: 1 });
  await create(`/v1/customers/${wallet.customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
  const called = (customerId: string, day: string, n: number) =>
    use(workspace, customerId, 'call', `2026-${day}T00:00:00Z`, { n });

  await goTo('01-10');
  await create(`${wallet.path}/purchases`, { credits: 100, expiresAt: '2026-03-15T00:00:00Z' });
  await goTo('01-20');
  await called(north.customerId, '01-20', 200);
  await called(tokyo.customerId, '01-20', 30);
  await goTo('01-25');
  expect((await wallet.use(40)).accepted).toHaveLength(1);

  // January is closed on 2 February, with usage that came late.
  await goTo('02-02');
  const { body: early } = await workspace.http
    .post('/v1/revenue/generate')
    .send({ period: '2026-02' })
    .expect(400);
  expect(JSON.stringify(early)).toContain('must be a month that is over in all time zones');
  await called(north.customerId, '01-31', 50);
  const january = await post('/v1/revenue/generate', { period: '2026-01' });
  expect(january).toMatchObject({
    period: '2026-01',
    closedAt: '2026-02-02T00:00:00.000Z',
    data: [
      { currency: 'JPY', recognised: 10402 },
      { currency: 'USD', recognised: 177.92, unbilled: 25 },
    ],
  });
  expect(await post('/v1/revenue/generate', { period: '2026-01' })).toEqual(january);
  await post('/v1/revenue/generate', { period: '2025-12' }, 409);

  await goTo('02-10');
  const [first] = await invoicesOf(globex.customerId);
  await create(`/v1/invoices/${first!.id}/credit-note`, { reason: 'service_issue', amount: 10 });
  await goTo('02-20');
  await called(north.customerId, '02-20', 100);
  await goTo('03-11');
  await post(`${globex.path}/pause`);
  await goTo('05-01');
  await post(`${globex.path}/resume`);
  await goTo('06-15');
  await called(north.customerId, '06-15', 80);
  await goTo('07-01');
  await post(`${north.path}/amend`, { planId: plus, prorate: true });
  await goTo('01-01', 2027);

  const summary = await get('/v1/revenue/summary?from=2026-01&to=2026-12');
  const rows = summary.data as MonthRow[];
  expect(
    rows
      .map(({ month, currency, recognised, deferred, unbilled, billed }) => [
        month,
        currency,
        recognised,
        deferred,
        unbilled,
        billed,
      ])
      .sort(([a, b], [c, d]) => (`${b}${a}` < `${d}${c}` ? 1 : -1) * -1),
  ).toEqual([...YEAR].sort(([a, b], [c, d]) => (`${b}${a}` < `${d}${c}` ? 1 : -1) * -1));
  expect(rows.map(({ status }) => status)).toEqual(
    rows.map(({ month }) => (month === '2026-01' ? 'closed' : 'open')),
  );
  expect(summary.changesOfEarlierMonths).toMatchObject([
    {
      date: '2026-02-10',
      belongsTo: '2026-01',
      amount: -10,
      invoiceNumber: first!.number,
      customerId: globex.customerId,
    },
  ]);
  // The invoice of the year's calls takes the place of what was accrued.
  const after = (await get('/v1/revenue/summary?from=2027-01')).data as MonthRow[];
  expect(after).toMatchObject([
    { currency: 'JPY', billed: 120_210, booked: 120_000, recognised: 0, deferred: 120_000, unbilled: 0 },
    {
      currency: 'USD',
      billed: 1_874,
      booked: 1_831,
      recognised: 0,
      deferred: 1_831,
      unbilled: 0,
      sources: { billed: 43, unbilled: -43 },
    },
  ]);

  await expectAnalytics();
  await expectFiles();

  const extract = await readLedgerExtract(
    { workspace: workspace.workspaceId },
    { EVENTSTORE_URL: system.node.url },
  );
  const journal = join(folder, 'books.journal');
  await writeFile(journal, [...exportFormatNamed('hledger')(extract)].join(''));
  for (const month of [...new Set(YEAR.map(([name]) => name))].sort())
    await expectAgreement(month, rows, journal);
  expect((await verificationOf(system)).found).toEqual([]);
}, 480_000);

it('a credit note takes back what was earned, and what its fee earned since the last month is still of the deferred fee', async () => {
  const other = await system.workspace();
  const { http } = other;
  await freezeClock(other, '2026-01-01T00:00:00.000Z');
  await http.put('/v1/billing-settings', { timezone: 'UTC' }).expect(200);
  const quarterly = fee('Cover', 90, { cadence: 'quarterly', timing: 'in_advance' });
  const { customerId } = await subscribe(other, await createPlan(other, quarterly));
  await advanceClock(other, '2026-02-10T00:00:00.000Z');
  const [invoice] = (await http.get(`/v1/invoices?customer_id=${customerId}`).expect(200)).body.data;
  const half = { reason: 'service_issue', amount: 45 };
  await http.post(`/v1/invoices/${invoice.id}/credit-note`, half).expect(201);
  await advanceClock(other, '2026-03-01T12:00:00.000Z');
  const { body: summary } = await http.get('/v1/revenue/summary?from=2026-02&to=2026-02').expect(200);
  // 9 days of the whole fee before the note, and 19 days of half of it. The note takes back half of the 40 days before it.
  expect(summary.data).toMatchObject([
    { billed: -45, recognised: -1.5, sources: { billed: 0, deferred: 18.5, contra: -20 } },
  ]);
  expect(summary.changesOfEarlierMonths).toMatchObject([{ belongsTo: '2026-01', amount: -20 }]);
});

/** The same reports as CSV files. */
async function expectFiles(): Promise<void> {
  const file = async (path: string) => {
    const answer = await workspace.http.get(`/v1/revenue/${path}&format=csv&currency=USD`).expect(200);
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    return answer.text.trim().split(/\r?\n/);
  };
  const [heading, january] = await file('summary?from=2026-01&to=2026-02');
  expect(heading).toBe(
    'month,currency,status,closedAt,billed,booked,recognised,deferred,unbilled,recognised_billed,recognised_deferred,' +
      'recognised_unbilled,recognised_credits,recognised_breakage,recognised_contra',
  );
  expect(january).toBe(
    '2026-01,USD,closed,2026-02-02T00:00:00.000Z,1281.00,1306.00,177.92,1128.08,25.00,0.00,132.92,25.00,20.00,0.00,0.00',
  );
  expect(await file('waterfall?from=2026-01&to=2026-02')).toEqual([
    'booked,currency,total,before,2026-01,2026-02,remaining',
    // The fees of January, less the credit note over 10.00.
    '2026-01,USD,1221.00,0.00,132.92,82.05,1006.03',
    '2026-02,USD,31.00,0.00,0.00,31.00,0.00',
    'prepaid_credits,USD,50.00,0.00,20.00,0.00,30.00',
    'unbilled,USD,35.00,0.00,25.00,10.00,0.00',
  ]);
  const contracts = await file('contracts?from=2026-01&to=2026-01');
  expect(contracts[0]).toBe('id,name,currency,booked,recognised,deferred,unbilled');
  expect(contracts.map((line) => line.split(',').slice(1).join(',')).sort()).toEqual(
    [
      'Globex,USD,31.00,31.00,0.00,0.00',
      'Northwind,USD,1225.00,126.92,1098.08,25.00',
      'Northwind,USD,50.00,20.00,30.00,0.00',
      contracts[0]!.split(',').slice(1).join(','),
    ].sort(),
  );
}

/** Recurring revenue, usage, receivables and the forecast on 1 January 2027, by hand. */
async function expectAnalytics(): Promise<void> {
  const mrr = (await get('/v1/analytics/mrr?from=2026-01&to=2027-01&currency=USD')).data as Record<
    string,
    number
  >[];
  const changes = mrr.map((row) =>
    ['new', 'expansion', 'contraction', 'churn', 'mrr'].map((name) => row[name]),
  );
  // 1,200 / 12 of north and 31 of globex; its pause and resumption; 1,800 / 12 of north.
  const expected = [
    [131, 0, 0, 0, 131],
    [0, 0, 0, 0, 131],
    [0, 0, -31, 0, 100],
    [0, 0, 0, 0, 100],
    [0, 31, 0, 0, 131],
  ];
  expect(changes.slice(0, 7)).toEqual([...expected, [0, 0, 0, 0, 131], [0, 50, 0, 0, 181]]);
  expect(changes.slice(7)).toEqual(Array.from({ length: 6 }, () => [0, 0, 0, 0, 181]));
  const usage = (await get('/v1/analytics/usage?from=2026-01&to=2026-12')).data as {
    name: string;
    start: string;
    value: number;
  }[];
  expect(usage.map(({ name, start, value }) => [name, start.slice(0, 7), value])).toEqual([
    ['Calls', '2026-01', 280],
    ['Calls', '2026-02', 100],
    ['Calls', '2026-06', 80],
    ['Tokens', '2026-01', 40],
  ]);
  const days = await get('/v1/analytics/usage?from=2026-01&to=2026-01&window=day');
  expect(
    days.data.map(({ start, value }: { start: string; value: number }) => [start.slice(0, 10), value]),
  ).toEqual([
    ['2026-01-20', 230],
    ['2026-01-31', 50],
    ['2026-01-25', 40],
  ]);
  const owed = await get('/v1/analytics/receivables');
  const { currencies } = await get('/v1/ledger/trial-balance');
  for (const { currency, total: sum, ages } of owed.data as {
    currency: string;
    total: number;
    ages: { age: string; amount: number }[];
  }[]) {
    const books = currencies.find((one: { currency: string }) => one.currency === currency);
    const { debit } = books.accounts.find(
      (one: { account: string }) => one.account === 'accounts_receivable',
    );
    expect({ currency, sum, parts: total(ages.map(({ amount }) => amount)) }).toEqual({
      currency,
      sum: debit,
      parts: debit,
    });
  }
  // North owes 1,200.00 since January and 302.47 since July, and tokyo 120,000 since January.
  expect(owed.data[0].ages.find(({ age }: { age: string }) => age === 'over90').amount).toBe(120_000);
  const { data, assumptions } = await get('/v1/analytics/forecast');
  expect(data).toEqual(
    [
      ['JPY', 10_000],
      ['USD', 181],
    ].flatMap(([currency, fees]) =>
      ['2027-02', '2027-03', '2027-04'].map((month) => ({
        month,
        currency,
        fees,
        usage: 0,
        minimums: 0,
        total: fees,
      })),
    ),
  );
  expect(assumptions.length).toBeGreaterThan(2);
}

/** Checks that all reports, the trial balance and hledger's report of the export say the same of a month. */
async function expectAgreement(month: string, rows: readonly MonthRow[], journal: string): Promise<void> {
  const figures = rows.filter((row) => row.month === month);
  const waterfall = await get(`/v1/revenue/waterfall?from=2026-01&to=${month}`);
  const last = new Date(Date.UTC(2026, Number(month.slice(5)), 0)).toISOString().slice(0, 10);
  const books = await get(`/v1/ledger/trial-balance?at=${last}`);
  for (const { currency, ...row } of figures) {
    const own = waterfall.data.filter((one: { currency: string }) => one.currency === currency) as {
      total: number;
      remaining: number;
      months: { month: string; amount: number }[];
    }[];
    const earned = own.flatMap(({ months }) => months.filter((cell) => cell.month === month));
    const upToHere = rows.filter((one) => one.currency === currency && one.month <= month);
    expect({
      month,
      currency,
      earned: total(earned.map(({ amount }) => amount)),
      remaining: total(own.map(({ remaining }) => remaining)),
      booked: total(own.map((one) => one.total)),
    }).toEqual({
      month,
      currency,
      earned: row.recognised,
      remaining: row.deferred,
      booked: total(upToHere.map(({ booked }) => booked)),
    });
    // What was earned of what is billed, deferred and unbilled: all that was booked.
    const recognised = total(upToHere.map((one) => one.recognised));
    const billed = total(upToHere.map((one) => one.billed));
    expect(total([recognised, row.deferred, -row.unbilled])).toBe(billed);
    const accounts = books.currencies.find((one: { currency: string }) => one.currency === currency)
      .accounts as {
      account: string;
      debit: number;
      credit: number;
    }[];
    const balance = (...codes: string[]) =>
      total(
        accounts
          .filter(({ account }) => codes.includes(account))
          .flatMap(({ debit, credit }) => [credit, -debit]),
      );
    expect(balance('revenue', 'breakage', 'refunds')).toBe(recognised);
    expect(balance('deferred_revenue', 'prepaid_credits')).toBe(row.deferred);
    expect(-balance('unbilled_receivables')).toBe(row.unbilled);
  }
  for (const group of ['customer', 'plan', 'price']) {
    const { data } = await get(`/v1/revenue/contracts?from=${month}&to=${month}&groupBy=${group}`);
    for (const { currency, booked, recognised, deferred, unbilled } of figures) {
      const own = data.filter((one: { currency: string }) => one.currency === currency) as MonthRow[];
      expect({
        month,
        group,
        currency,
        booked: total(own.map((one) => one.booked)),
        recognised: total(own.map((one) => one.recognised)),
        deferred: total(own.map((one) => one.deferred)),
        unbilled: total(own.map((one) => one.unbilled)),
      }).toEqual({ month, group, currency, booked, recognised, deferred, unbilled });
    }
  }
  if (programFile('hledger') !== undefined)
    expect(await balancesByHledger(journal, last)).toEqual(balancesByApi(books));
}

interface TrialBalance {
  currencies: {
    currency: string;
    accounts: {
      account: never;
      priceId: string | null;
      priceName: string | null;
      taxRateId: string | null;
      taxRateName: string | null;
      debit: number;
      credit: number;
    }[];
  }[];
}

/** The balance of each account and currency, by its name in the journal; none of zero. */
function balancesByApi({ currencies }: TrialBalance): Record<string, number> {
  return Object.fromEntries(
    currencies
      .flatMap(({ currency, accounts }) =>
        accounts.map(({ account, priceId, priceName, taxRateId, taxRateName, debit, credit }) => {
          const key = { account, detail: priceId ?? taxRateId };
          const name = plainTextAccountName(key, () => priceName ?? taxRateName ?? undefined);
          return [`${name} ${currency}`, total([debit, -credit])];
        }),
      )
      .filter(([, balance]) => balance !== 0),
  );
}

async function balancesByHledger(journal: string, last: string): Promise<Record<string, number>> {
  const end = new Date(Date.parse(last) + 86_400_000).toISOString().slice(0, 10);
  const { stdout } = await run('hledger', [
    '-f',
    journal,
    'balance',
    '--flat',
    '-N',
    '-O',
    'csv',
    '--layout',
    'bare',
    '-e',
    end,
  ]);
  const lines: string[][] = parse(stdout, { from_line: 2 });
  return Object.fromEntries(
    lines
      .map(([account, currency, amount]) => [`${account} ${currency}`, Number(amount)] as const)
      .filter(([, amount]) => amount !== 0),
  );
}

function total(amounts: readonly number[]): number {
  return sumOf(amounts.map(String)).toNumber() + 0;
}
