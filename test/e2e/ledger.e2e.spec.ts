import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Decimal, sumOf } from '#libs/core';
import {
  advanceClock,
  clientOf,
  createMetric,
  createPlan,
  fee,
  freezeClock,
  perUnit,
  startSystem,
  use,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { customerWithCard } from '../support/invoicing.js';

const START = '2026-01-15T00:00:00.000Z';
/** The last moment of a month, the first of one, one amid everything, and a year after the start. */
const MOMENTS = [
  '2026-03-31T23:59:59.999Z',
  '2026-05-01T00:00:00.000Z',
  '2026-09-20T10:30:00.000Z',
  '2027-01-15T00:00:00.000Z',
];

interface TrialBalance {
  at: string;
  position: string;
  currencies: {
    currency: string;
    accounts: { account: string; priceId: string | null; debit: number; credit: number }[];
    debit: number;
    credit: number;
  }[];
}

interface Entry {
  id: string;
  transactionId: string;
  at: string;
  account: string;
  currency: string;
  debit: number;
  credit: number;
  customerId: string;
  invoiceId: string;
  event: { id: string; type: string; stream: string; position: string; occurredAt: string };
}

let system: System;
let workspace: TestWorkspace;
let customers: { pays: string; isDeclined: string; isVoided: string };
/** What the API answered at each of the moments, asked then. */
const asked: TrialBalance[] = [];

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  await aYearOfBilling();
}, 180_000);
afterAll(async () => system?.stop());

async function aYearOfBilling(): Promise<void> {
  await freezeClock(workspace, START);
  const metricId = await createMetric(workspace, 'api.call', { type: 'sum', property: 'units' });
  const monthly = await createPlan(workspace, perUnit('API units', metricId, 0.0375), fee('Platform', 20));
  const inAdvance = await createPlan(
    workspace,
    fee('Support', 89, { cadence: 'quarterly', timing: 'in_advance' }),
    fee('Licence', 1_200, { cadence: 'annual', timing: 'in_advance' }),
    fee('Setup', 50, { cadence: 'one_time' }),
  );
  customers = {
    pays: await customerWithCard(workspace, 'pm_card_visa'),
    isDeclined: await customerWithCard(workspace, 'pm_card_chargeDeclined'),
    isVoided: await customerWithCard(workspace, null),
  };
  for (const [customerId, planId] of [
    [customers.pays, monthly],
    [customers.isDeclined, inAdvance],
    [customers.isVoided, inAdvance],
  ] as const)
    await workspace.http.post('/v1/subscriptions', { customerId, planId }).expect(201);
  let now = START;
  for (const next of MOMENTS) {
    await use(workspace, customers.pays, 'api.call', now, { units: 777 });
    await advanceClock(workspace, next);
    await voidNewest(customers.isVoided);
    asked.push(await trialBalance());
    now = next;
  }
}

async function voidNewest(customerId: string): Promise<void> {
  const { body } = await workspace.http.get(`/v1/invoices?customer_id=${customerId}&status=open`).expect(200);
  await workspace.http.post(`/v1/invoices/${body.data[0].id}/void`, { reason: 'Not delivered' }).expect(200);
}

async function trialBalance(at?: string): Promise<TrialBalance> {
  const query = at === undefined ? '' : `?at=${at}`;
  const { body } = await workspace.http.get(`/v1/ledger/trial-balance${query}`).expect(200);
  return body as TrialBalance;
}

async function entries(filter: Record<string, string | number> = {}): Promise<Entry[]> {
  const query = new URLSearchParams({ limit: '1000', ...filter } as Record<string, string>);
  const { body } = await workspace.http.get(`/v1/ledger/entries?${query.toString()}`).expect(200);
  return (body as { data: Entry[] }).data;
}

async function invoices(): Promise<{ id: string; status: string; total: number }[]> {
  const { body } = await workspace.http.get('/v1/invoices?limit=100').expect(200);
  return (body as { data: { id: string; status: string; total: number }[] }).data;
}

/** What is on an account, with all its prices: a debit above zero. */
function balanceOf({ currencies }: TrialBalance, ...accounts: string[]): number {
  const lines = currencies.flatMap((one) => one.accounts).filter((one) => accounts.includes(one.account));
  return net(lines);
}

function net(lines: { debit: number; credit: number }[]): number {
  return sumOf(lines.map(({ debit, credit }) => new Decimal(debit).minus(credit))).toNumber();
}

describe('GET /v1/ledger/trial-balance', () => {
  it('answers for a past moment what it answered then', async () => {
    for (const then of asked) {
      const { position, ...now } = await trialBalance(then.at);
      expect({ ...now, position: then.position }).toEqual(then);
      expect(BigInt(position)).toBeGreaterThanOrEqual(BigInt(then.position));
    }
    expect(asked.map(({ at }) => at)).toEqual(MOMENTS);
  });

  it('has equal columns, and nothing on the account for rounding', () => {
    for (const { currencies } of asked) {
      expect(currencies.map(({ currency }) => currency)).toEqual(['USD']);
      for (const { accounts, debit, credit } of currencies) {
        expect(debit).toBeGreaterThan(0);
        expect(credit).toBe(debit);
        expect(sumOf(accounts.map((line) => line.debit.toString())).toNumber()).toBe(debit);
        expect(accounts.find(({ account }) => account === 'rounding')).toMatchObject({ debit: 0, credit: 0 });
      }
    }
  });

  it('agrees with the invoices', async () => {
    const all = await invoices();
    const totalOf = (...statuses: string[]) =>
      sumOf(
        all.filter(({ status }) => statuses.includes(status)).map(({ total }) => total.toString()),
      ).toNumber();
    const last = asked.at(-1)!;
    expect(balanceOf(last, 'accounts_receivable')).toBe(totalOf('open'));
    expect(balanceOf(last, 'cash')).toBe(totalOf('paid'));
    expect(balanceOf(last, 'revenue', 'deferred_revenue')).toBe(-totalOf('open', 'paid'));
    expect(totalOf('void')).toBeGreaterThan(0);
  });

  it('defers what is billed in advance until it is earned', () => {
    // Of the two customers the invoice of one is void. On 31 March the other's quarter and year, both billed on
    // 15 January, are earned for 76 of their 90 and 365 days.
    const [march] = asked;
    const earned = (76 / 90) * 89 + (76 / 365) * 1_200;
    expect(balanceOf(march!, 'deferred_revenue')).toBeCloseTo(-(89 + 1_200 - earned), 1);
  });

  it('refuses a moment that is still to come, and what is no moment', async () => {
    const { body } = await workspace.http
      .get('/v1/ledger/trial-balance?at=2027-01-15T00:00:00.001Z')
      .expect(400);
    expect(body).toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'at', message: expect.stringContaining('2027-01-15T00:00:00.000Z') }],
    });
    await workspace.http.get('/v1/ledger/trial-balance?at=yesterday').expect(400);
  });

  it('is empty for a workspace that has billed nothing', async () => {
    const other = await system.workspace();
    const { body } = await other.http.get('/v1/ledger/trial-balance').expect(200);
    expect(body).toMatchObject({ currencies: [] });
  });
});

describe('GET /v1/ledger/entries', () => {
  it('lists postings of transactions that sum to zero, each with its event, in the order of their time', async () => {
    const all = await entries();
    const transactions = [...Map.groupBy(all, ({ transactionId }) => transactionId).values()];
    expect(transactions.length).toBeGreaterThan(30);
    expect(transactions.filter((lines) => net(lines) !== 0)).toEqual([]);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted());
    expect(all.every(({ at }) => at <= MOMENTS.at(-1)!)).toBe(true);
    expect(all[0]).toMatchObject({
      at: START,
      account: 'accounts_receivable',
      debit: 1_339,
      credit: 0,
      currency: 'USD',
      customerId: customers.isDeclined,
      event: {
        type: 'InvoiceOpened',
        stream: `invoice-${workspace.accountId}.${all[0]!.invoiceId}`,
        position: expect.stringMatching(/^\d+$/),
        occurredAt: START,
      },
    });
    for (const account of ['accounts_receivable', 'cash', 'revenue'])
      expect(net(all.filter((entry) => entry.account === account))).toBe(balanceOf(asked.at(-1)!, account));
  });

  it('filters by account, customer, invoice and time', async () => {
    const all = await entries();
    const expectOnly = async (filter: Record<string, string>, wanted: (entry: Entry) => boolean) => {
      const found = await entries(filter);
      expect(found).toEqual(all.filter(wanted));
      expect(found.length).toBeGreaterThan(0);
    };
    const { invoiceId } = all[0]!;
    await expectOnly({ account: 'cash' }, ({ account }) => account === 'cash');
    await expectOnly({ customer_id: customers.pays }, ({ customerId }) => customerId === customers.pays);
    await expectOnly({ invoice_id: invoiceId }, (entry) => entry.invoiceId === invoiceId);
    await expectOnly(
      { from: '2026-02-15T00:00:00Z', to: '2026-04-30T23:59:59.999Z' },
      ({ at }) => at >= '2026-02-15T00:00:00.000Z' && at < '2026-04-30T23:59:59.999Z',
    );
    await expectOnly(
      { account: 'deferred_revenue', customer_id: customers.isVoided },
      (entry) => entry.account === 'deferred_revenue' && entry.customerId === customers.isVoided,
    );
  });

  it('gives pages in a stable order', async () => {
    const all = await entries();
    const pages: Entry[] = [];
    for (let offset = 0; offset < all.length; offset += 17)
      pages.push(...(await entries({ limit: 17, offset })));
    expect(pages).toEqual(all);
  });

  it.each([
    ['account', 'petty_cash'],
    ['customer_id', 'a b'],
    ['from', '2026-02-30T00:00:00Z'],
    ['limit', '0'],
    ['price', 'x'],
  ])('refuses %s=%s', async (name, value) => {
    const { body } = await workspace.http
      .get(`/v1/ledger/entries?${name}=${encodeURIComponent(value)}`)
      .expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: name }] });
  });
});

describe('the ledger over HTTP', () => {
  it('is for finance, and not for viewers or for usage', async () => {
    for (const [role, status] of [
      ['finance', 200],
      ['viewer', 403],
      ['ingest', 403],
    ] as const) {
      const { body } = await workspace.session.post('/v1/api-keys', { name: role, role }).expect(201);
      const http = clientOf(system.url, { 'x-api-key': (body as { key: string }).key });
      await http.get('/v1/ledger/trial-balance').expect(status);
      await http.get('/v1/ledger/entries').expect(status);
    }
    await clientOf(system.url).get('/v1/ledger/trial-balance').expect(401);
  });

  it("shows nothing of another workspace's", async () => {
    const other = await system.workspace();
    const { body } = await other.http.get(`/v1/ledger/entries?customer_id=${customers.pays}`).expect(200);
    expect(body).toEqual({ data: [] });
  });
});
