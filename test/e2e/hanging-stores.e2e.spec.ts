import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApiApp } from '#apps/api';
import { Link } from '../faults/fleet/link.ts';
import { clientOf, startSystem, type Client, type System, type TestWorkspace } from '../support/index.js';
import { untilReady } from '../support/until-ready.js';

/*
 * A store accepts connections but does not answer, because it is stopped or its route is lost. The API reaches each store
 * through a link that can hold everything back.
 */

/** The API answers within 10 s, as time-limit.spec.ts asserts. The rest is for a machine that is busy with other tests. */
const MAX_SECONDS = 30;

let system: System;
let api: NestFastifyApplication;
let workspace: TestWorkspace;
let key: Client;
let hostedPage: string;
let postgres: Link;
let eventStore: Link;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  const { databaseUrl, eventStoreUrl } = system.settings;
  postgres = await Link.between('api → postgres', Number(new URL(databaseUrl!).port));
  eventStore = await Link.between('api → event store', Number(/:(\d+)/.exec(eventStoreUrl!)![1]));
  api = await createApiApp({
    ...system.settings,
    readYourWritesMillis: 2_000,
    databaseUrl: through(postgres, databaseUrl!),
    eventStoreUrl: through(eventStore, eventStoreUrl!),
  });
  await api.listen(0, '127.0.0.1');
  key = clientOf(urlOf(api), { authorization: `Bearer ${workspace.apiKey}` });
  await key.post('/v1/customers', { id: 'known', name: 'A' }).expect(201);
  hostedPage = await createHostedPage();
});
afterAll(async () => {
  postgres?.heal();
  eventStore?.heal();
  await api?.close();
  await postgres?.close();
  await eventStore?.close();
  await system?.stop();
});

describe.each([
  ['Postgres', () => postgres],
  ['the event store', () => eventStore],
])('while %s does not answer', (_, link) => {
  it('answers every request, and all as before once it does', async () => {
    link().hold();
    // Requests that do not need the store succeed.
    const whileHeld = await faults(
      (status, retryAfter) => status < 500 || (status === 503 && retryAfter !== undefined),
    ).finally(() => link().heal());
    expect(whileHeld).toEqual([]);
    await untilReady(requests['readiness']!);
    expect(await faults((status) => status < 500)).toEqual([]);
  });
});

function through(link: Link, url: string): string {
  return url.replace(/(@|\/\/)[^/@?]*:\d+/, `$1127.0.0.1:${link.port}`);
}

function urlOf(app: NestFastifyApplication) {
  return `http://127.0.0.1:${(app.getHttpServer().address() as { port: number }).port}`;
}

/** Sends all requests, and returns those that are not answered right and in time. */
async function faults(
  isRight: (status: number, retryAfter: string | undefined) => boolean,
): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(requests).map(async ([name, send]) => {
      const began = performance.now();
      const { status, headers } = await send();
      const seconds = (performance.now() - began) / 1_000;
      const isInTime = seconds < MAX_SECONDS && isRight(status, headers['retry-after']);
      return isInTime ? [] : [`${name}: ${status} after ${seconds.toFixed(1)} s`];
    }),
  );
  return found.flat();
}

/** A request of each kind, by what it is. */
const requests: Record<string, () => PromiseLike<{ status: number; headers: Record<string, string> }>> = {
  'a list': () => key.get('/v1/customers'),
  'one thing': () => key.get('/v1/customers/known'),
  'a write': () => key.post('/v1/customers', { name: 'B' }),
  'a write with a key': () => key.post('/v1/customers', { name: 'B' }).set('Idempotency-Key', 'once'),
  'a change': () => key.patch('/v1/customers/known', { name: 'C' }),
  usage: () => key.post('/v1/events', { customerId: 'known', eventName: 'call' }),
  'usage of an unknown customer': () => key.post('/v1/events', { customerId: 'unknown', eventName: 'call' }),
  'a query': () => key.post('/v1/events/query', { aggregation: { type: 'count' } }),
  'a sign-in': () =>
    clientOf(urlOf(api)).post('/v1/auth/login', { email: workspace.email, password: workspace.password }),
  'a move of the clock': () => key.post('/v1/sandbox/clock/advance', { to: '2100-01-01T00:00:00Z' }),
  'a billing run': () => key.post('/v1/billing/run', {}),
  'a hosted page': () => key.get(hostedPage),
  readiness: () => key.get('/v1/health/ready'),
  'the ledger': () => key.get('/v1/ledger/trial-balance'),
};

/** Creates an invoice, and returns the path of its hosted page. */
async function createHostedPage(): Promise<string> {
  const lines = [{ description: 'Setup', unitPrice: 5 }];
  const { body: invoice } = await key.post('/v1/invoices', { customerId: 'known', lines }).expect(201);
  const { body: link } = await key.get(`/v1/invoices/${invoice.id}/link`).expect(200);
  return new URL(link.url as string).pathname;
}
