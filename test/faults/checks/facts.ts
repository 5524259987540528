import type { Pool } from 'pg';
import type { JournalingClient } from '../load/client.ts';
import type { Entry } from '../load/journal.ts';
import type { Arrival } from '../load/receivers.ts';
import { CREDITS, type Credits, type Workspace } from '../load/workspace.ts';

/** A record of the API as it lists it. Only what the checks look at has a type. */
export interface Listed {
  id: string;
  [field: string]: unknown;
}

export interface Subscription extends Listed {
  customerId: string;
  planId: string;
  currentPeriodStart: string;
  startedAt: string;
}

export interface Invoice extends Listed {
  number: string | null;
  customerId: string;
  subscriptionId: string | null;
  kind: string;
  status: string;
  total: number;
  lines: InvoiceLine[];
  /** What prepaid credits paid for. */
  creditsUsed: { creditType: string; credits: number }[];
  attempts: { id: string; status: string; amount: number; retry: number | null }[];
  payments: RecordedPayment[];
  amountDue: number;
}

/** A payment outside the gateway. */
export interface RecordedPayment {
  id: string;
  status: string;
  amount: number;
}

export interface InvoiceLine {
  type: string;
  quantity: number;
  amount: number;
  /** The credits of an overage. */
  creditType?: string;
  periodStart: string;
  periodEnd: string;
}

/** A license of a customer. */
export interface License extends Listed {
  customerId: string;
  deactivatedAt: string | null;
}

export interface Delivery extends Listed {
  event: string;
  status: 'pending' | 'delivered' | 'failed';
  nextAttemptAt: string | null;
  attempts: { statusCode: number | null }[];
  payload: { data: Record<string, unknown> };
}

export interface UsageRow {
  id: string;
  key: string | null;
  customerId: string;
  eventName: string;
  timestamp: string;
  units: number;
}

/** A charge in the books of the payment gateway. */
export interface Charge {
  /** The id of the attempt. */
  key: string;
  invoiceId: string;
  status: string;
  amount: string;
}

/** The ledger's balances in one currency. */
export interface TrialBalance {
  currency: string;
  debit: number;
  credit: number;
  accounts: { account: string; debit: number; credit: number }[];
}

/** One line of the ledger. */
export interface LedgerEntry extends Listed {
  transactionId: string;
  debit: number;
  credit: number;
}

/** A customer's wallet, and everything that its ledger lists. */
export interface Wallet {
  customerId: string;
  credits: Credits;
  balance: number;
  /** The oldest first. */
  ledger: WalletEntry[];
}

export interface WalletEntry extends Listed {
  type: 'granted' | 'purchased' | 'drawn_down' | 'expired' | 'voided';
  amount: number;
  /** The balance right after it. */
  balance: number;
  /** The credits that no block covered. */
  overage: number;
  createdAt: string;
  blocks: { blockId: string; amount: number }[];
}

/** Work of the sagas that is not done. */
export interface OpenTask {
  name: string;
  status: string;
  isOverdue: boolean;
  error: string | null;
}

/** Everything that there is of one workspace, on both sides. */
export interface Facts {
  workspace: Workspace;
  /** What its clients wrote down. */
  entries: Entry[];
  /** What its receivers got. */
  arrivals: Arrival[];
  clock: string;
  /** Records by the path that they are listed under and created at. */
  records: Map<string, Listed[]>;
  subscriptions: Subscription[];
  invoices: Invoice[];
  licenses: License[];
  deliveries: Map<string, Delivery[]>;
  wallets: Wallet[];
  usage: UsageRow[];
  charges: Charge[];
  tasks: OpenTask[];
  trialBalance: TrialBalance[];
  ledger: LedgerEntry[];
}

/** The collections that the load adds to, by their path. What is created by a person is listed to a person. */
export const COLLECTIONS = [
  '/v1/customers',
  '/v1/subscriptions',
  '/v1/metrics',
  '/v1/prices',
  '/v1/plans',
  '/v1/licenses',
  '/v1/usage-limits',
] as const;
export const PERSONAL_COLLECTIONS = ['/v1/webhooks', '/v1/api-keys'] as const;

const PAGE = 1_000;
const INVOICE_PAGE = 100;
const AT_ONCE = 8;

/** Gathers what there is: what clients can see over HTTP, and what only the databases show from them. */
export async function gather(
  workspace: Workspace,
  entries: readonly Entry[],
  arrivals: readonly Arrival[],
  pool: Pool,
): Promise<Facts> {
  const { client, session, workspaceId, name, endpoints } = workspace;
  const records = new Map<string, Listed[]>();
  for (const path of COLLECTIONS) records.set(path, await listAll(client, path));
  for (const path of PERSONAL_COLLECTIONS) records.set(path, await listAll(session, path));
  records.set('/v1/billing/run', await listAll(client, '/v1/billing/history'));
  const deliveries = new Map<string, Delivery[]>();
  for (const { webhookId, receiver } of endpoints)
    deliveries.set(receiver, await listAll(session, `/v1/webhooks/${webhookId}/deliveries`));
  return {
    workspace,
    entries: entries.filter((entry) => entry.workspace === name),
    arrivals: arrivals.filter(({ receiver }) => deliveries.has(receiver)),
    clock: (await client.get<{ now: string }>('/v1/sandbox/clock')).now,
    records,
    subscriptions: records.get('/v1/subscriptions') as Subscription[],
    invoices: await invoicesOf(client),
    licenses: records.get('/v1/licenses') as License[],
    trialBalance: (await client.get<{ currencies: TrialBalance[] }>('/v1/ledger/trial-balance')).currencies,
    ledger: await listAll(client, '/v1/ledger/entries'),
    deliveries,
    wallets: await walletsOf(client, records.get('/v1/customers')!),
    ...(await inside(pool, workspaceId)),
  };
}

async function listAll<Row extends Listed>(client: JournalingClient, path: string): Promise<Row[]> {
  const all: Row[] = [];
  for (;;) {
    const { data } = await client.get<{ data: Row[] }>(`${path}?limit=${PAGE}&offset=${all.length}`);
    all.push(...data);
    if (data.length < PAGE) return all;
  }
}

async function invoicesOf(client: JournalingClient): Promise<Invoice[]> {
  const all: Invoice[] = [];
  for (;;) {
    const { data } = await client.get<{ data: Invoice[] }>(
      `/v1/invoices?limit=${INVOICE_PAGE}&offset=${all.length}`,
    );
    all.push(...data);
    if (data.length < INVOICE_PAGE) break;
  }
  for (let first = 0; first < all.length; first += AT_ONCE)
    await Promise.all(
      all.slice(first, first + AT_ONCE).map(async (invoice) => {
        const path = `/v1/invoices/${invoice.id}/payment-attempts`;
        invoice.attempts = (await client.get<{ data: Invoice['attempts'] }>(path)).data;
      }),
    );
  return all;
}

async function walletsOf(client: JournalingClient, customers: readonly Listed[]): Promise<Wallet[]> {
  const wallets: Wallet[] = [];
  const all = customers.flatMap(({ id }) => CREDITS.map((credits) => ({ customerId: id, credits })));
  for (let first = 0; first < all.length; first += AT_ONCE)
    wallets.push(
      ...(await Promise.all(
        all.slice(first, first + AT_ONCE).map(async ({ customerId, credits }) => {
          const path = `/v1/customers/${customerId}/wallets/${credits.type}`;
          const { balance } = await client.get<{ balance: number }>(path);
          const ledger = await listAll<WalletEntry>(client, `${path}/ledger`);
          return { customerId, credits, balance, ledger: ledger.reverse() };
        }),
      )),
    );
  return wallets;
}

/** What no client can see: the usage log row by row, the gateway's books, and the work of the sagas. */
async function inside(pool: Pool, workspaceId: string): Promise<Pick<Facts, 'usage' | 'charges' | 'tasks'>> {
  const [usage, charges, tasks] = await Promise.all([
    pool.query<UsageRow>(
      `SELECT id, idempotency_key AS key, customer_id AS "customerId", event_name AS "eventName", timestamp,
         (properties ->> 'units')::int AS units
       FROM usage.log WHERE workspace_id = $1 ORDER BY seq`,
      [workspaceId],
    ),
    pool.query<Charge>(
      `SELECT key, invoice_id AS "invoiceId", status, amount FROM payments.sandbox_charges WHERE workspace_id = $1`,
      [workspaceId],
    ),
    pool.query<OpenTask>(
      `SELECT name, status, last_error AS error, t.due_at < coalesce(
           CASE t.clock WHEN 'workspace' THEN c.frozen_at END, now()) - interval '30 s' AS "isOverdue"
       FROM saga.tasks t JOIN workspaces.clocks c USING (workspace_id)
       WHERE workspace_id = $1 AND status <> 'done'`,
      [workspaceId],
    ),
  ]);
  return { usage: usage.rows, charges: charges.rows, tasks: tasks.rows };
}
