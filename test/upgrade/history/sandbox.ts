import type { Http } from '../http.ts';

/** Who plays a history, and what its parts have in common. */
export interface Sandbox {
  /** With an API key of an admin. */
  readonly http: Http;
  /** With the access token of the user. */
  readonly session: Http;
  /** Without a credential. */
  readonly visitor: Http;
  /** Where webhooks go. */
  readonly receiver: string;
}

/** Moves the clock, and waits until all that is due has been done. */
export async function advance({ http }: Sandbox, to: string): Promise<void> {
  await http.post('/v1/sandbox/clock/advance', { to });
}

/** Waits until all that was asked for has been done. */
export async function settle(sandbox: Sandbox): Promise<void> {
  await advance(sandbox, (await sandbox.http.get('/v1/sandbox/clock')).now);
}

export async function createdId(http: Http, path: string, body: object): Promise<string> {
  return (await http.post(path, body)).id;
}

/** A customer with a test card, unless `card` is null. */
export async function customer(
  { http }: Sandbox,
  id: string,
  {
    card = 'pm_card_visa',
    declines,
    ...more
  }: { card?: string | null; declines?: number; [field: string]: unknown } = {},
): Promise<string> {
  await http.post('/v1/customers', { id, name: id, ...more });
  if (card !== null) await attach(http, id, card, declines);
  return id;
}

export async function attach(http: Http, id: string, card: string, declines?: number): Promise<string> {
  const method = { type: 'test', test: card, ...(declines !== undefined && { declines }) };
  return createdId(http, `/v1/customers/${id}/payment-methods`, method);
}

/** Sends usage of one customer, a day apart, all of which must be accepted. */
export async function use(
  { http }: Sandbox,
  customerId: string,
  eventName: string,
  from: string,
  properties: object[],
  path = '/v1/events',
): Promise<void> {
  const events = properties.map((of, day) => ({
    customerId,
    eventName,
    properties: of,
    idempotencyKey: `${customerId} ${eventName} ${from} ${day}`,
    timestamp: new Date(Date.parse(from) + day * 86_400_000).toISOString(),
  }));
  const { rejected } = await http.post(path, { events });
  if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
}

/** The customer's invoices, oldest first. */
export async function invoicesOf({ http }: Sandbox, customerId: string) {
  return (await http.all(`/v1/invoices?customer_id=${customerId}`)).toReversed();
}

/** The newest subscription of a customer. */
export async function subscriptionOf({ http }: Sandbox, customerId: string) {
  const { data } = await http.get(`/v1/subscriptions?customer_id=${customerId}`);
  return data[0];
}

/** Looks again and again, since what it waits for comes by the machine's clock. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds()))
    if (performance.now() > deadline) throw new Error(`Did not come to hold: ${holds.toString()}`);
}
