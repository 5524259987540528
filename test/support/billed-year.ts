import { customerWithCard } from './invoicing.js';
import { advanceClock, createMetric, createPlan, fee, freezeClock, perUnit, use } from './plans.js';
import type { TestWorkspace } from './system.js';

/** When the year begins. */
export const START = '2026-01-15T00:00:00.000Z';
/**
 * Moments of the year at which the API is asked for the trial balance: the end of a month, the beginning of a month, the middle of a
 * day, and a year after the start.
 */
export const MOMENTS = [
  '2026-03-31T23:59:59.999Z',
  '2026-05-01T00:00:00.000Z',
  '2026-09-20T10:30:00.000Z',
  '2027-01-15T00:00:00.000Z',
];

interface TrialBalanceLine {
  account: string;
  priceId: string | null;
  priceName: string | null;
  taxRateId: string | null;
  taxRateName: string | null;
  name: string;
  debit: number;
  credit: number;
}

export interface TrialBalance {
  at: string;
  position: string;
  currencies: {
    currency: string;
    accounts: TrialBalanceLine[];
    debit: number;
    credit: number;
  }[];
}

export interface LedgerEntry {
  id: string;
  transactionId: string;
  at: string;
  date: string;
  account: string;
  currency: string;
  debit: number;
  credit: number;
  customerId: string;
  invoiceId: string;
  creditNoteId: string | null;
  description: string;
  event: { id: string; type: string; stream: string; position: string; occurredAt: string };
}

/** What a year of billing leaves in a workspace. */
export interface BilledYear {
  /** The ids of the customers, by what happens to their invoices. */
  customers: { pays: string; isDeclined: string; isVoided: string; isCredited: string };
  /** The names of the prices by their ids. */
  priceNames: ReadonlyMap<string, string>;
  /** The invoice that has credit notes. */
  creditedInvoiceId: string;
  /** What the API answered at each of `MOMENTS`, when the clock stood there. */
  asked: TrialBalance[];
}

/** Bills four customers for a year. At each of `MOMENTS` it voids an invoice and asks for the trial balance. */
export async function billYear(workspace: TestWorkspace): Promise<BilledYear> {
  await freezeClock(workspace, START);
  const metricId = await createMetric(workspace, 'api.call', { type: 'sum', property: 'units' });
  const monthly = await createPlan(workspace, perUnit('API units', metricId, 0.0375), fee('Platform', 20));
  const inAdvance = await createPlan(
    workspace,
    fee('Support', 89, { cadence: 'quarterly', timing: 'in_advance' }),
    fee('Licence', 1_200, { cadence: 'annual', timing: 'in_advance' }),
    fee('Setup', 50, { cadence: 'one_time' }),
  );
  const customers = {
    pays: await customerWithCard(workspace, 'pm_card_visa'),
    isDeclined: await customerWithCard(workspace, 'pm_card_chargeDeclined'),
    isVoided: await customerWithCard(workspace, null),
    isCredited: await customerWithCard(workspace, 'pm_card_visa'),
  };
  for (const [customerId, planId] of [
    [customers.pays, monthly],
    [customers.isDeclined, inAdvance],
    [customers.isVoided, inAdvance],
    [customers.isCredited, monthly],
  ] as const)
    await workspace.http.post('/v1/subscriptions', { customerId, planId }).expect(201);
  const { body } = await workspace.http.get('/v1/prices').expect(200);
  const prices = body.data as { id: string; name: string }[];
  const asked: TrialBalance[] = [];
  let creditedInvoiceId = '';
  let now = START;
  for (const next of MOMENTS) {
    await use(workspace, customers.pays, 'api.call', now, { units: 777 });
    await advanceClock(workspace, next);
    await voidNewest(workspace, customers.isVoided);
    if (next === MOMENTS.at(-1)) creditedInvoiceId = await creditNewest(workspace, customers.isCredited);
    asked.push(await trialBalanceOf(workspace));
    now = next;
  }
  const priceNames = new Map(prices.map(({ id, name }) => [id, name]));
  return { customers, priceNames, creditedInvoiceId, asked };
}

async function voidNewest(workspace: TestWorkspace, customerId: string): Promise<void> {
  const { body } = await workspace.http.get(`/v1/invoices?customer_id=${customerId}&status=open`).expect(200);
  await workspace.http.post(`/v1/invoices/${body.data[0].id}/void`, { reason: 'Not delivered' }).expect(200);
}

/** Issues two credit notes on the newest invoice: one is refunded, one goes to the balance. Returns the id of the invoice. */
async function creditNewest(workspace: TestWorkspace, customerId: string): Promise<string> {
  const { body } = await workspace.http.get(`/v1/invoices?customer_id=${customerId}&status=paid`).expect(200);
  const invoiceId = (body as { data: { id: string }[] }).data[0]!.id;
  for (const to of ['refund', 'balance'])
    await workspace.http
      .post(`/v1/invoices/${invoiceId}/credit-note`, { reason: 'service_issue', amount: 5, to })
      .expect(201);
  return invoiceId;
}

export async function trialBalanceOf(workspace: TestWorkspace, at?: string): Promise<TrialBalance> {
  const query = at === undefined ? '' : `?at=${at}`;
  const { body } = await workspace.http.get(`/v1/ledger/trial-balance${query}`).expect(200);
  return body as TrialBalance;
}

export async function ledgerEntriesOf(
  workspace: TestWorkspace,
  filter: Record<string, string | number> = {},
): Promise<LedgerEntry[]> {
  const query = new URLSearchParams({ limit: '1000', ...filter } as Record<string, string>);
  const { body } = await workspace.http.get(`/v1/ledger/entries?${query.toString()}`).expect(200);
  return (body as { data: LedgerEntry[] }).data;
}
