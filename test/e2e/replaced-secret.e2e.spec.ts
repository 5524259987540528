import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApiApp } from '#apps/api';
import { SsoConnections } from '#libs/contexts/identity';
import { GatewayConnections } from '#libs/contexts/payments';
import type { Settings } from '#libs/kernel/system';
import { clientOf, startSystem, type System } from '../support/index.js';

const jwtSecret = 'a new secret, which is long enough too';

let system: System;
let replaced: Partial<Settings>;

beforeAll(async () => {
  system = await startSystem();
  replaced = { jwtSecret, formerJwtSecret: system.settings.jwtSecret };
});
afterAll(async () => system?.stop());

/** Runs an API with other secrets on the system's stores. */
async function withApi<T>(
  secrets: Partial<Settings>,
  work: (api: NestFastifyApplication) => Promise<T>,
): Promise<T> {
  const api = await createApiApp({ ...system.settings, ...secrets });
  try {
    await api.init();
    return await work(api);
  } finally {
    await api.close();
  }
}

/** Sends a request with a bearer token, or with an API key. */
const get = (api: NestFastifyApplication, url: string, credential: string) =>
  api.inject({ url, headers: { authorization: `Bearer ${credential}` } });

const post = (api: NestFastifyApplication, url: string, payload: object, headers: Record<string, string>) =>
  api.inject({ method: 'POST', url, payload, headers });

it('reads access tokens that the former secret signed, and signs with the present one', async () => {
  const registration = { email: 'replaced@example.com', password: 'correct horse battery staple', name: 'R' };
  const { body } = await clientOf(system.url).post('/v1/auth/register', registration).expect(201);
  const { accessToken } = body.tokens as { accessToken: string };
  const { email, password } = registration;

  const renewed = await withApi(replaced, async (api) => {
    expect((await get(api, '/v1/customers', accessToken)).statusCode).toBe(200);
    const signedIn = await post(api, '/v1/auth/login', { email, password }, {});
    return signedIn.json<{ tokens: { accessToken: string } }>().tokens.accessToken;
  });
  await withApi({ jwtSecret }, async (api) => {
    expect((await get(api, '/v1/customers', accessToken)).statusCode).toBe(401);
    expect((await get(api, '/v1/customers', renewed)).statusCode).toBe(200);
  });
});

it('encrypts the keys of payment gateways and the client secrets of single sign-on again at the start', async () => {
  const { session, workspaceId } = await system.workspace();
  const connection = {
    workspaceId,
    provider: 'stripe',
    accountId: 'acct_1',
    mode: 'test',
    secretKey: 'sk_test_1',
    secretKeyLast4: 'st_1',
    webhookSecret: 'whsec_1',
    keyRefusedAt: null,
    checkedAt: '2026-01-01T00:00:00.000Z',
    returnHosts: [],
  } as const;
  const gateway = system.api.get(GatewayConnections, { strict: false });
  await gateway.store(connection, system.api.get(Pool, { strict: false }));
  const { body: sso } = await session
    .post('/v1/sso-connections', {
      name: 'Staff',
      issuer: 'https://login.example.com',
      clientId: 'c',
      clientSecret: 'a client secret',
      domains: ['staff.example'],
      redirectUris: ['https://example.com/sso'],
      defaultRole: 'viewer',
      createUsers: true,
      required: false,
    })
    .expect(201);

  const kept = async (api: NestFastifyApplication) => {
    const connections = api.get(SsoConnections, { strict: false });
    const found = await api.get(GatewayConnections, { strict: false }).find(workspaceId);
    const clientSecret = connections.decryptSecret(await connections.get(workspaceId, sso.id as string));
    return [found?.secretKey, found?.webhookSecret, clientSecret];
  };
  const secrets = ['sk_test_1', 'whsec_1', 'a client secret'];
  expect(await withApi(replaced, kept)).toEqual(secrets);
  // What is kept no longer needs the former secret.
  expect(await withApi({ jwtSecret }, kept)).toEqual(secrets);
});

it('does nothing twice if a request with an Idempotency-Key is repeated after the change', async () => {
  const { http, apiKey } = await system.workspace();
  const pool = system.api.get(Pool, { strict: false });
  const key = { 'Idempotency-Key': 'once' };
  const customer = { name: 'N' };
  const created = await http.post('/v1/customers', customer).set(key).expect(201);
  const usage = [{ customerId: created.body.id as string, eventName: 'call' }];
  const stored = await http.post('/v1/events', usage).set(key).expect(200);
  // The usage is stored, but its answer was lost.
  await pool.query(`DELETE FROM idempotency.answers WHERE scope LIKE 'POST /v1/events%'`);
  const registration = { email: 'once@example.com', password: 'correct horse battery staple', name: 'Once' };
  const registered = await clientOf(system.url).post('/v1/auth/register', registration).set(key).expect(201);

  await withApi(replaced, async (api) => {
    const headers = { authorization: `Bearer ${apiKey}`, ...key };
    const again = await post(api, '/v1/customers', customer, headers);
    expect(again.json()).toEqual(created.body);
    const more = [...usage, { customerId: created.body.id as string, eventName: 'other call' }];
    const usageAgain = await post(api, '/v1/events', more, headers);
    const { accepted } = usageAgain.json<{ accepted: string[] }>();
    expect(accepted).toEqual([stored.body.accepted[0], expect.any(String)]);
    expect(usageAgain.headers['usage-events-repeated']).toBe('1');
    const registeredAgain = await post(api, '/v1/auth/register', registration, key);
    expect(registeredAgain.json<{ user: unknown }>().user).toEqual(registered.body.user);
  });
});
