import type { JournalingClient } from './client.ts';

/** What the prices of the load come to: the checks reckon every invoice again from these. */
export const FEE = 10;
export const UNIT_PRICE = 0.25;
export const EVENT_NAME = 'call';
/** What the customers' prepaid credits are for. */
export const CREDIT_TYPE = 'calls';
/** Where every workspace's clock begins. */
export const EPOCH = '2026-01-01T00:00:00.000Z';

/** What the webhooks are to be told. */
const EVENTS = [
  'subscription.created',
  'invoice.created',
  'invoice.paid',
  'invoice.voided',
  'invoice.payment_failed',
];

/** A receiver of a workspace's webhooks. */
export interface Endpoint {
  webhookId: string;
  secret: string;
  /** Its path, by which its manners and its arrivals go. */
  receiver: string;
}

/** A sandbox workspace with a price list, webhooks and a client, ready for subscribers. */
export interface Workspace {
  name: string;
  workspaceId: string;
  client: JournalingClient;
  /** For what only a person may do. */
  session: JournalingClient;
  planId: string;
  endpoints: Endpoint[];
}

/**
 * Registers a workspace under this name, with two webhooks: one receiver that behaves, and one with
 * the manners that it was taught.
 */
export async function openWorkspace(
  name: string,
  stranger: JournalingClient,
  webhookPort: number,
): Promise<Workspace> {
  const registered = await created<{ user: { accountId: string }; tokens: { accessToken: string } }>(
    stranger.post('/v1/auth/register', {
      email: `${name}@example.com`,
      password: 'a long enough password',
      name,
    }),
  );
  const session = stranger.as(registered.tokens.accessToken);
  const { key } = await created<{ key: string }>(
    session.post('/v1/api-keys', { name, role: 'admin' }, `${name}/api-key`),
  );
  const client = stranger.as(key);
  await client.put('/v1/sandbox/clock', { now: EPOCH });
  const endpoints: Endpoint[] = [];
  for (const manners of ['good', 'bad']) {
    const receiver = `/${name}/${manners}`;
    const webhook = { url: `http://127.0.0.1:${webhookPort}${receiver}`, events: EVENTS };
    const { id, secret } = await created<{ id: string; secret: string }>(
      session.post('/v1/webhooks', webhook, `${name}/webhook-${manners}`),
    );
    endpoints.push({ webhookId: id, secret, receiver });
  }
  const create = async (path: string, body: object, key: string): Promise<string> =>
    (await created<{ id: string }>(client.post(path, body, `${name}/${key}`))).id;
  const metricId = await create(
    '/v1/metrics',
    { name: EVENT_NAME, aggregation: { type: 'sum', property: 'units' } },
    'metric',
  );
  const fee = await create(
    '/v1/prices',
    { name: 'Fee', timing: 'in_advance', config: { model: 'flat', amount: FEE, currency: 'USD' } },
    'fee',
  );
  const usage = await create(
    '/v1/prices',
    {
      name: 'Calls',
      metricId,
      cadence: 'usage_based',
      config: { model: 'unit', unitPrice: UNIT_PRICE, currency: 'USD' },
    },
    'usage-price',
  );
  const creditType = { type: CREDIT_TYPE, name: 'Calls', unitPrice: UNIT_PRICE, currency: 'USD' };
  await created(client.post('/v1/credit-types', creditType, `${name}/credit-type`));
  const planId = await create('/v1/plans', { name: 'Pro', prices: [fee, usage] }, 'plan');
  return { name, workspaceId: registered.user.accountId, client, session, planId, endpoints };
}

async function created<T>(sent: Promise<{ status: number; body: unknown }>): Promise<T> {
  const { status, body } = await sent;
  if (status !== 201) throw new Error(`Expected 201, got ${status} ${JSON.stringify(body)}`);
  return body as T;
}
