import type pg from 'pg';
import { pruneAnswers } from '#libs/kernel/idempotency';
import { pruneTasks } from '#libs/kernel/saga';
import { renderMetricsPage } from '#libs/kernel/telemetry';
import { prunePortalSessions } from '#libs/contexts/identity';
import { pruneCounters } from '#libs/contexts/usage-limits';
import { pruneMail } from '#libs/outputs/mail';
import { pruneDeliveries } from '#libs/outputs/webhooks';
import { operationsOf, type Operation } from '../support/api-operations.ts';
import { validBodies } from '../support/per-worker/endpoint-tables.ts';
import { settle } from '../support/plans.ts';
import type { Client, TestWorkspace } from '../support/system.ts';
import type { Ids } from '../support/test-endpoints.ts';
import type { Recorder } from './statements.ts';

/** Values for each query parameter that there is: such as fit few rows, and such as fit most. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  limit: ['1'],
  offset: ['10'],
  status: [
    'paused',
    'active',
    'inactive',
    'uncollectible',
    'open',
    'paid',
    'failed',
    'delivered',
    'moved',
    'pending',
    'executed',
    'succeeded',
    'reversed',
    'issued',
    'void',
  ],
  customer_id: ['cust_12'],
  customerId: ['cust_12'],
  licenseTypeId: ['editor'],
  subscription_id: ['sub_12'],
  invoiceId: ['inv_12'],
  number: ['INV-000001', 'INV-1000012'],
  external_id: ['crm-12'],
  externalId: ['crm-12', 'crm-sub-12'],
  subscriptionId: ['sub_12'],
  planId: ['plan_7'],
  email: ['customer-12@example.com'],
  action: [
    'invoice.paid',
    'customer.created',
    'customer.*',
    'nothing.at.all',
    'invoice.*',
    'invoice.void',
    'subscription.cancel',
  ],
  resourceType: ['invoice', 'customer'],
  resourceId: ['sub_12'],
  since: ['2026-01-30T00:00:00Z', '2025-03-01T00:00:00Z', '2026-01-31', '2026-01-31T00:00:00Z'],
  until: ['2025-03-01T00:00:00Z', '2025-02-10', '2025-02-10T00:00:00Z', '2026-01-01T00:00:00Z'],
  start_time: ['2026-01-30T00:00:00Z'],
  end_time: ['2026-01-30T00:00:00Z'],
  event_name: ['call'],
  unmatched: ['true'],
  unpriced: ['true'],
  event: ['invoice.voided', 'invoice.paid'],
  creditType: ['ai-credits'],
  eventName: ['call'],
  quantity: ['1'],
  amount: ['1'],
  currency: ['USD', 'EUR'],
  metricId: ['met_12'],
  account: ['receivables', 'cash'],
  at: ['2026-01-31', '2026-01-31T00:00:00Z'],
  type: ['granted', 'purchased'],
  page: ['2'],
  page_size: ['5'],
  format: ['json', 'csv', 'ubl', 'cii'],
  bom: ['true'],
  profile: ['en16931', 'xrechnung'],
  method: ['gateway', 'cash'],
  country: ['DE'],
  // See readBehind.
  after: [],
  window: ['day'],
  groupBy: ['plan'],
  period: ['2025-03'],
};

/** Entries before the middle of each large list. */
const MIDDLE = 2_500;

/** What moves the clock, or ends what the rest needs: it comes last. */
const LAST = [
  'POST /v1/sandbox/clock/advance',
  'POST /v1/customers/{id}/erase',
  'POST /v1/invoices/{id}/void',
  'POST /v1/customers/{id}/wallets/{type}/blocks/{blockId}/void',
  'POST /v1/subscriptions/{id}/cancel',
];

/** The workspace, with the client of one of its customers. */
type Callers = TestWorkspace & { readonly portal: Client };

/** Uses everything that there is: every endpoint with each of its parameters, what works by itself, and what watches it. */
export async function useEverything(
  ofTest: TestWorkspace,
  ids: Ids,
  recorder: Recorder,
  owner: pg.Pool,
): Promise<void> {
  const workspace = { ...ofTest, portal: await ofTest.portalOf(ids['customers']!) };
  const operations = await operationsIn(workspace, ids);
  for (const operation of operations)
    if (operation.method === 'get') await readEverything(workspace, operation, recorder);
  const bodies = validBodies(ids, workspace);
  const writes = operations.filter(({ method }) => method !== 'get');
  for (const operation of [
    ...writes.filter((one) => !comesLast(one)),
    ...writes.filter((one) => comesLast(one)),
  ]) {
    recorder.occasion = operation.route;
    await send(workspace, operation, operation.path, bodies[operation.route]?.());
  }
  await ofAllOnAPlan(workspace, ids, recorder);
  await timersAndUpkeep(workspace, recorder, owner);
}

/** Ends the session that the requests after it need. */
const END_OF_SESSION = 'DELETE /v1/users/me/sessions';

async function operationsIn(workspace: TestWorkspace, ids: Ids): Promise<Operation[]> {
  const { body } = await workspace.http.get('/v1/openapi.json').expect(200);
  return operationsOf(body, ids).filter(
    ({ route }) => !route.includes('/auth/') && !/pdf|receipt/.test(route) && route !== END_OF_SESSION,
  );
}

function comesLast({ route, method }: Operation): boolean {
  return method === 'delete' || LAST.includes(route);
}

async function readEverything(workspace: Callers, operation: Operation, recorder: Recorder): Promise<void> {
  const read = async (path: string): Promise<void> => {
    recorder.occasion = `${operation.route}${path.slice(operation.path.length)}`;
    await send(workspace, operation, path);
  };
  await read(operation.path);
  for (const name of operation.query) {
    const values = QUERIES[name];
    if (values === undefined) throw new Error(`${operation.route} has a parameter without values: ${name}`);
    for (const value of values) await read(operation.pathWith(name, encodeURIComponent(value)));
  }
  if (operation.query.includes('after')) await readBehind(workspace, operation, recorder, read);
}

/** Goes on from the middle of a list, at which nobody looks how it was come to. */
async function readBehind(
  workspace: Callers,
  operation: Operation,
  recorder: Recorder,
  read: (path: string) => Promise<void>,
): Promise<void> {
  recorder.isPaused = true;
  const text = await send(workspace, operation, `${operation.path}?limit=1&offset=${MIDDLE}`);
  recorder.isPaused = false;
  const { next } = JSON.parse(text) as { next?: string };
  if (next !== undefined) await read(operation.pathWith('after', next));
}

/** An answer may refuse: what was asked of the database on the way to that counts too. */
async function send(
  { http, session, portal }: Callers,
  { method, caller }: Operation,
  path: string,
  body?: object,
): Promise<string> {
  const client = { customer: portal, user: session, key: http }[caller];
  const { status, text } = await client[method](path, body);
  if (status >= 500) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
  return text;
}

/** What looks for all subscriptions to a plan, of which there are few or very many. */
async function ofAllOnAPlan({ http }: TestWorkspace, ids: Ids, recorder: Recorder): Promise<void> {
  const toPlanId = ids['otherPlans'];
  for (const fromPlanId of [ids['plans'], 'plan_7']) {
    recorder.occasion = `POST /v1/price-migrations/preview of all on ${fromPlanId}`;
    await http.post('/v1/price-migrations/preview', { fromPlanId, toPlanId });
  }
  recorder.occasion = 'DELETE of what subscriptions have';
  await http.delete(`/v1/plans/${ids['plans']}`);
  await http.delete(`/v1/prices/${ids['prices']}`);
  await http.delete(`/v1/metrics/${ids['metrics']}`);
}

/** What is due in the next weeks, at the end of which a period is billed and its invoice collected. */
async function timersAndUpkeep(workspace: TestWorkspace, recorder: Recorder, owner: pg.Pool): Promise<void> {
  recorder.occasion = 'billing run';
  await workspace.http.post('/v1/sandbox/clock/advance', { to: '2026-03-15T00:00:00Z' }).expect(200);
  recorder.occasion = 'metrics scrape';
  await renderMetricsPage();
  recorder.occasion = 'upkeep';
  for (const prune of [
    pruneAnswers,
    pruneTasks,
    pruneDeliveries,
    pruneCounters,
    prunePortalSessions,
    pruneMail,
  ])
    await prune(owner, 30, 1_000);
}

/** A customer who is billed a fee at once and each month, pays it with a card on file, and is given a part of it back. */
export async function subscribeToFee(workspace: TestWorkspace): Promise<void> {
  const { http } = workspace;
  const create = async (path: string, body: object): Promise<string> =>
    ((await http.post(path, body).expect(201)).body as { id: string }).id;
  const config = { model: 'flat', amount: 20, currency: 'USD' };
  const price = await create('/v1/prices', { name: 'Fee', config, cadence: 'monthly', timing: 'in_advance' });
  const planId = await create('/v1/plans', { name: 'Fee', prices: [price] });
  const customerId = await create('/v1/customers', { name: 'B' });
  await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
  await create('/v1/subscriptions', { customerId, planId });
  await http.post('/v1/sandbox/clock/advance', { to: '2026-02-01T00:00:00Z' }).expect(200);
  const { body } = await http.get(`/v1/invoices?customer_id=${customerId}&status=paid`).expect(200);
  const [paid] = (body as { data: { id: string }[] }).data;
  await create(`/v1/invoices/${paid!.id}/credit-note`, { reason: 'other', amount: 1 });
  await settle(workspace);
}
