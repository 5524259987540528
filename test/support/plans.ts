import type { Client, TestWorkspace } from './system.js';

/** A price as `POST /v1/prices` takes it. */
export interface TestPrice {
  name: string;
  config?: object;
  metricId?: string;
  cadence?: 'monthly' | 'quarterly' | 'annual' | 'one_time' | 'usage_based';
  timing?: 'in_advance' | 'in_arrears';
  licenseTypeId?: string;
}

/** A price of `unitPrice` USD for each unit of a metric. */
export function perUnit(name: string, metricId: string, unitPrice: number): TestPrice {
  return { name, metricId, config: { model: 'unit', unitPrice, currency: 'USD' }, cadence: 'usage_based' };
}

/** A price of 0.10 USD for each of the first 100 units of a period, and of 0.05 USD for each unit above. */
export function tiered(name: string, metricId: string): TestPrice {
  const tiers = [
    { upTo: 100, unitPrice: 0.1 },
    { upTo: null, unitPrice: 0.05 },
  ];
  return { name, metricId, config: { model: 'graduated', currency: 'USD', tiers }, cadence: 'usage_based' };
}

/** A fee of `amount` USD. */
export function fee(name: string, amount: number, more: Omit<TestPrice, 'name' | 'config'> = {}): TestPrice {
  return { name, config: { model: 'flat', amount, currency: 'USD' }, ...more };
}

/** Creates a metric of the events of that name (or of `eventName`); by default their count. */
export async function createMetric(
  { http }: TestWorkspace,
  name: string,
  aggregation: object = { type: 'count' },
  eventName = name,
): Promise<string> {
  return idOf(await http.post('/v1/metrics', { name, aggregation, eventName }).expect(201));
}

/** Creates the prices and a plan of them, and answers the plan's id. */
export async function createPlan(
  { http }: Pick<TestWorkspace, 'http'>,
  ...prices: TestPrice[]
): Promise<string> {
  const ids: string[] = [];
  for (const price of prices) ids.push(idOf(await http.post('/v1/prices', price).expect(201)));
  return idOf(await http.post('/v1/plans', { name: 'Growth', prices: ids }).expect(201));
}

/** Creates a customer, who is subscribed to the plan. `subscription`: what its request says besides. */
export async function subscribe(
  { http }: TestWorkspace,
  planId: string,
  { subscription = {}, ...customer }: { subscription?: object; [field: string]: unknown } = {},
): Promise<{ customerId: string; subscriptionId: string }> {
  const customerId = idOf(
    await http.post('/v1/customers', { name: 'Northwind Ltd', ...customer }).expect(201),
  );
  const subscriptionId = idOf(
    await http.post('/v1/subscriptions', { customerId, planId, ...subscription }).expect(201),
  );
  return { customerId, subscriptionId };
}

/** Freezes the workspace's clock at an instant. */
export async function freezeClock({ http }: TestWorkspace, now: string): Promise<void> {
  await http.put('/v1/sandbox/clock', { now }).expect(200);
}

/** More times than a slow machine needs to complete long work. Each takes at least eight seconds. */
const MAX_REQUESTS = 10;

/**
 * Sends a request for long work until the work is done. The API answers 503 after eight or nine seconds, for example on a machine that is
 * busy with other tests. The same request then continues the work, or waits for its end. Throws an Error for any other status but 200.
 */
async function complete({ http }: { http: Client }, path: string, body: object): Promise<void> {
  for (let requests = 1; ; requests++) {
    const answer = await http.post(path, body);
    if (answer.status === 200) return;
    if (answer.status !== 503 || requests === MAX_REQUESTS)
      throw new Error(`POST ${path} with ${JSON.stringify(body)} answers ${answer.status}: ${answer.text}`);
  }
}

/** Moves the workspace's clock, and waits until all that is due has been done. */
export async function advanceClock(workspace: { http: Client }, to: string): Promise<void> {
  await complete(workspace, '/v1/sandbox/clock/advance', { to });
}

/** Bills all that is due, and waits until that has been done. */
export async function runBilling(workspace: { http: Client }): Promise<void> {
  await complete(workspace, '/v1/billing/run', {});
}

/** Waits until all that is due now has been done. Moves the workspace's clock by a second. */
export async function settle(workspace: TestWorkspace): Promise<void> {
  const { body } = await workspace.http.get('/v1/sandbox/clock').expect(200);
  const now = Date.parse((body as { now: string }).now);
  await advanceClock(workspace, new Date(now + 1_000).toISOString());
}

/** Sends one usage event, which must be accepted. */
export async function use(
  { http }: { http: Client },
  customerId: string,
  eventName: string,
  timestamp: string,
  properties: object = {},
): Promise<void> {
  const { body } = await http
    .post('/v1/events', { customerId, eventName, timestamp, properties })
    .expect(200);
  if ((body as { accepted: unknown[] }).accepted.length !== 1) throw new Error(JSON.stringify(body));
}

function idOf({ body }: { body: unknown }): string {
  return (body as { id: string }).id;
}
