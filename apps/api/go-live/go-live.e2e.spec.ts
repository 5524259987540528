import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createPlan, fee } from '../../../test/support/plans.js';
import { STRIPE_KEY, StripeServer } from '../../../test/support/stripe-server/index.js';
import { clientOf, startSystem, type System, type TestWorkspace } from '../../../test/support/index.js';

const GO_LIVE = '/v1/workspace/go-live';
const seller = {
  legalName: 'Contoso GmbH',
  address: { line1: 'Main Street 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  taxId: 'DE123456789',
};

let stripe: StripeServer;
let system: System;
let count = 0;

beforeAll(async () => {
  stripe = await StripeServer.start();
  system = await startSystem({ STRIPE_API_URL: stripe.url });
});
afterAll(async () => {
  await system?.stop();
  await stripe?.stop();
});

const request = () => ({ adminEmail: `live${++count}@example.com`, secretKey: STRIPE_KEY });

async function readySandbox(): Promise<TestWorkspace> {
  const sandbox = await system.workspace({ companyName: 'Contoso' });
  await sandbox.http.put('/v1/billing-settings', { seller, netDays: 10 }).expect(200);
  await createPlan(sandbox, fee('Platform', 49));
  return sandbox;
}

describe('going live', () => {
  it('says what is missing, and makes nothing', async () => {
    const { http } = await system.workspace();
    const { body } = await http.post(GO_LIVE, { adminEmail: 'a@example.com' }).expect(200);
    expect(body.live).toBeNull();
    expect(
      Object.fromEntries(
        body.checks.map((one: { check: string; status: string }) => [one.check, one.status]),
      ),
    ).toEqual({
      ...{ seller: 'failed', taxes: 'warning', plans: 'failed', payment_gateway: 'failed' },
      ...{ mail: 'warning', public_url: 'warning' },
    });
    const wrong = { adminEmail: 'a@example.com', secretKey: 'sk_live_wrong00000000' };
    const { body: refused } = await http.post(GO_LIVE, wrong).expect(200);
    expect(refused.checks).toContainEqual({
      ...{ check: 'payment_gateway', status: 'failed', remedy: expect.stringContaining('refuses') },
    });
  });

  it('makes a live workspace with the settings, an API key and an invitation, and leaves the data behind', async () => {
    const sandbox = await readySandbox();
    await sandbox.http.post('/v1/customers', { id: 'northwind', name: 'Northwind' }).expect(201);
    const body = request();
    const preview = await sandbox.http.post(GO_LIVE, { ...body, preview: true }).expect(200);
    expect(preview.body.live).toBeNull();
    const { body: answer } = await sandbox.http
      .post(GO_LIVE, body)
      .set('Idempotency-Key', 'live')
      .expect(200);
    expect(answer.live).toEqual({
      accountId: expect.stringMatching(/^acc_/),
      apiKey: expect.stringMatching(/^svc_/),
    });
    const again = await sandbox.http.post(GO_LIVE, body).set('Idempotency-Key', 'live').expect(200);
    expect(again.body.live).toEqual(answer.live);
    const live = clientOf(system.url, { 'x-api-key': answer.live.apiKey as string });
    expect((await live.get('/v1/billing-settings').expect(200)).body).toMatchObject({ netDays: 10, seller });
    expect((await live.get('/v1/payment-gateway').expect(200)).body).toMatchObject({
      ...{ mode: 'test', webhookSecretSet: false },
      webhookUrl: expect.stringContaining(`workspace=${answer.live.accountId}`),
    });
    for (const list of ['customers', 'plans', 'prices', 'invoices'])
      expect((await live.get(`/v1/${list}`).expect(200)).body.data).toEqual([]);
    expect((await live.get('/v1/users/invitations').expect(200)).body.data).toMatchObject([
      { email: body.adminEmail, role: 'admin', status: 'pending' },
    ]);
    expect(
      (await live.post('/v1/sandbox/clock/advance', { to: '2030-01-01T00:00:00Z' }).expect(400)).body.code,
    ).toBe('not_a_sandbox');
    expect((await live.post(GO_LIVE, request()).expect(400)).body.code).toBe('sandbox_only');
    await sandbox.http.get('/v1/customers/northwind').expect(200);
  });

  it('makes one live workspace, and can be repeated until that has a user', async () => {
    const { http } = await readySandbox();
    const body = request();
    const answers = await Promise.all([http.post(GO_LIVE, body), http.post(GO_LIVE, body)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [one, other] = answers.map(({ body: { live } }) => live as { accountId: string; apiKey: string });
    expect(one!.accountId).toBe(other!.accountId);
    expect(one!.apiKey).not.toBe(other!.apiKey);
    const live = clientOf(system.url, { 'x-api-key': one!.apiKey });
    expect((await live.get('/v1/users/invitations').expect(200)).body.data).toHaveLength(1);
    await system.api.get(Pool, { strict: false }).query(
      `INSERT INTO identity.users (id, workspace_id, email, name, role, status, created_at)
         VALUES ('usr_live', $1, 'first@example.com', 'First', 'admin', 'active', now())`,
      [one!.accountId],
    );
    expect((await http.post(GO_LIVE, body).expect(409)).body.code).toBe('already_live');
  });
});
