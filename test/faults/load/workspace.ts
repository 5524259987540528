import type { JournalingClient } from './client.ts';

/** What the prices of the load come to: the checks reckon every invoice again from these. */
export const FEE = 10;
export const UNIT_PRICE = 0.25;
export const EVENT_NAME = 'call';

/** Prepaid credits, and the usage that draws them: no subscription pays for it. */
export interface Credits {
  type: string;
  eventName: string;
  creditsPerUnit: number;
  /** Whether usage that the balance does not cover is refused, or billed. */
  overage: 'block' | 'allow';
}

export const BLOCKING_CREDITS: Credits = {
  type: 'calls',
  eventName: 'prepaid-call',
  creditsPerUnit: 0.5,
  overage: 'block',
};
export const BILLED_CREDITS: Credits = {
  type: 'minutes',
  eventName: 'prepaid-minute',
  creditsPerUnit: 4,
  overage: 'allow',
};
export const CREDITS: readonly Credits[] = [BLOCKING_CREDITS, BILLED_CREDITS];
/** The price of a credit that the balance did not cover. */
export const OVERAGE_PRICE = 0.3;
/** What makes a wallet buy by itself, and how much. It never buys as often in a month as it may. */
export const TOP_UP = { threshold: 40, credits: 50, maxPerMonth: 100 };

/** Usage that costs nothing, and that each customer may have so much of in a month. */
export const LIMITED_EVENT_NAME = 'export';
export const LIMIT = 50;
export const LIMIT_THRESHOLDS = [0.5, 1] as const;

export const LICENSE_TYPE = 'seat';
/** Each month has a whole number of cents a day of it, be it of 28, 30 or 31 days. */
export const SEAT_PRICE = 130.2;
/** Where every workspace's clock begins. */
export const EPOCH = '2026-01-01T00:00:00.000Z';

/** What the webhooks are to be told. */
const EVENTS = [
  'subscription.created',
  'invoice.created',
  'invoice.paid',
  'invoice.voided',
  'invoice.payment_failed',
  'credit.purchase_activated',
  'usage.limit',
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
  /** The plan that charges for licenses alone. */
  seatPlanId: string;
  limitId: string;
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
  const { workspaceId, session, client } = await signUp(name, stranger);
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
  const planId = await create('/v1/plans', { name: 'Pro', prices: [fee, usage] }, 'plan');
  const summed = (eventName: string): Promise<string> =>
    create(
      '/v1/metrics',
      { name: eventName, eventName, aggregation: { type: 'sum', property: 'units' } },
      `metric-${eventName}`,
    );
  for (const credits of CREDITS) await createCreditType(create, credits, await summed(credits.eventName));
  const limitId = await create(
    '/v1/usage-limits',
    {
      metricId: await summed(LIMITED_EVENT_NAME),
      limit: LIMIT,
      per: 'month',
      action: 'block',
      warnAt: LIMIT_THRESHOLDS.filter((threshold) => threshold < 1),
    },
    'limit',
  );
  const seat = await create(
    '/v1/prices',
    {
      name: 'Seat',
      timing: 'in_advance',
      licenseTypeId: LICENSE_TYPE,
      config: { model: 'license', unitPrice: SEAT_PRICE, currency: 'USD' },
    },
    'seat-price',
  );
  const seatPlanId = await create('/v1/plans', { name: 'Team', prices: [seat] }, 'seat-plan');
  return { name, workspaceId, client, session, planId, seatPlanId, limitId, endpoints };
}

/** Registers a workspace under this name, with nothing in it. */
export async function signUp(
  name: string,
  stranger: JournalingClient,
): Promise<Pick<Workspace, 'workspaceId' | 'client' | 'session'>> {
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
  return { workspaceId: registered.user.accountId, session, client: stranger.as(key) };
}

/** Creates credits that usage of this metric draws. */
async function createCreditType(
  create: (path: string, body: object, key: string) => Promise<string>,
  { type, creditsPerUnit, overage }: Credits,
  metricId: string,
): Promise<void> {
  const price = { unitPrice: UNIT_PRICE, currency: 'USD', overagePrice: OVERAGE_PRICE };
  await create('/v1/credit-types', { type, name: type, overage, ...price }, `credit-type-${type}`);
  await create(`/v1/credit-types/${type}/rates`, { metricId, creditsPerUnit }, `rate-${type}`);
}

async function created<T>(sent: Promise<{ status: number; body: unknown }>): Promise<T> {
  const { status, body } = await sent;
  if (status !== 201) throw new Error(`Expected 201, got ${status} ${JSON.stringify(body)}`);
  return body as T;
}
