import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import supertest from 'supertest';
import { createApiApp } from '#apps/api';
import { addSeconds } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { apiKeyDecider } from '#libs/contexts/identity';
import { type Role } from '#libs/manifest';
import { NotificationListener } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import {
  createPool,
  clientOf,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

interface NewKey {
  id: string;
  key: string;
  last4: string;
  role: Role;
}

let system: System;
let workspace: TestWorkspace;
let db: pg.Pool;
beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  db = createPool(system.database);
  db.on('error', () => undefined);
});
afterAll(async () => {
  await db.end();
  await system.stop();
});

const withKey = (key: string): Client => clientOf(system.url, { 'x-api-key': key });
async function createKey(role: Role, client = workspace.session): Promise<NewKey> {
  return (await client.post('/v1/api-keys', { name: `${role} key`, role }).expect(201)).body as NewKey;
}

describe('POST /v1/api-keys', () => {
  it('shows the key once, and keeps its SHA-256', async () => {
    const created = await createKey('developer');
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
      name: 'developer key',
      role: 'developer',
      permissions: null,
      expiresAt: null,
      replacedBy: null,
      key: expect.stringMatching(/^svc_[0-9A-Za-z]{33}$/),
      last4: created.key.slice(-4),
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
    });
    const { rows } = await db.query<{ row: string; same: boolean }>(
      'SELECT k::text AS row, hash = sha256($2::bytea) AS same FROM identity.api_keys k WHERE id = $1',
      [created.id, Buffer.from(created.key)],
    );
    expect(rows[0]!.same).toBe(true);
    expect(rows[0]!.row).not.toContain(created.key.slice(4, -4));

    const { body } = await workspace.session.get('/v1/api-keys').expect(200);
    const { key: _, ...shown } = created;
    expect((body as { data: NewKey[] }).data).toContainEqual(shown);
    expect(JSON.stringify(body)).not.toContain(created.key.slice(0, -4));

    const record = system.api
      .get(AggregateStore)
      .load(apiKeyDecider, aggregateId(workspace.workspaceId, created.id));
    await expect(record).resolves.toMatchObject({ apiKeyId: created.id, role: 'developer', revoked: false });
  });

  it('answers a repeated request with the same key, and does not keep it in clear for that', async () => {
    const ask = () =>
      workspace.session.post('/v1/api-keys', { name: 'once', role: 'viewer' }).set('Idempotency-Key', 'k');
    const [first, second] = [await ask().expect(201), await ask().expect(201)];
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    const { rows } = await db.query<{ body: string }>('SELECT body FROM idempotency.answers');
    expect(rows).toHaveLength(1);
    const { key } = first.body as NewKey;
    expect(rows[0]!.body + Buffer.from(rows[0]!.body, 'base64').toString('latin1')).not.toContain(key);
  });

  it('gives the one key anew when the first request died before it could answer', async () => {
    const ask = () =>
      workspace.session.post('/v1/api-keys', { name: 'died', role: 'viewer' }).set('Idempotency-Key', 'd');
    const first = (await ask().expect(201)).body as NewKey;
    await db.query(`DELETE FROM idempotency.answers`);
    const second = (await ask().expect(201)).body as NewKey;
    expect(second.id).toBe(first.id);
    await withKey(second.key).get('/v1/customers').expect(200);
    await withKey(first.key).get('/v1/customers').expect(401);
  });

  it('keeps the key that the first request made, when it is repeated after the answer was removed', async () => {
    const ask = () =>
      workspace.session.post('/v1/api-keys', { name: 'old', role: 'viewer' }).set('Idempotency-Key', 'old');
    const first = (await ask().expect(201)).body as NewKey;
    await db.query(`DELETE FROM idempotency.answers`);
    await db.query(
      `UPDATE identity.api_keys SET created_at = created_at - interval '31 days' WHERE id = $1`,
      [first.id],
    );
    expect((await ask().expect(409)).body).toMatchObject({ code: 'api_key_exists' });
    await withKey(first.key).get('/v1/customers').expect(200);
  });

  it('gives a repeated request of a caller who may do less no key of another caller', async () => {
    const body = { name: 'deploy', role: 'admin' };
    const ask = (client: Client, more: object = {}) =>
      client.post('/v1/api-keys', { ...body, ...more }).set('Idempotency-Key', 'deploy-1');
    const strong = (await ask(workspace.session).expect(201)).body as NewKey;
    const limit = { permissions: ['api_keys:write'] };
    const made = await workspace.session.post('/v1/api-keys', { ...body, ...limit }).expect(201);
    const weak = withKey((made.body as NewKey).key);
    expect((await ask(weak).expect(403)).body).toMatchObject({ code: 'role_exceeds_own' });
    // The answer of the first request is kept for a time only. Its command would otherwise be repeated, which gives the key a new secret.
    await db.query(`DELETE FROM idempotency.answers`);
    expect((await ask(weak, limit).expect(201)).body.id).not.toBe(strong.id);
    await withKey(strong.key).get('/v1/customers').expect(200);
  });

  it.each([
    ['name', { role: 'viewer' }],
    ['role', { name: 'x', role: 'owner' }],
    ['role', { name: 'x' }],
    ['permissions', { name: 'x', role: 'viewer', permissions: [] }],
    ['permissions[1]', { name: 'x', role: 'viewer', permissions: ['customers:read', 'customers:write'] }],
    ['permissions[0]', { name: 'x', role: 'admin', permissions: ['customer:read'] }],
    ['expiresAt', { name: 'x', role: 'viewer', expiresAt: '2026-01-01T00:00:00Z' }],
    ['workspaceId', { name: 'x', role: 'viewer', workspaceId: 'acc_1' }],
  ])('refuses a wrong %s', async (field, body) => {
    const answer = await workspace.session.post('/v1/api-keys', body).expect(400);
    expect((answer.body as { details: { field: string }[] }).details[0]!.field).toBe(field);
  });

  it('is for admins', async () => {
    for (const role of ['finance', 'developer', 'ingest', 'viewer'] as const) {
      const { key } = await createKey(role);
      const { body } = await withKey(key).post('/v1/api-keys', { name: 'x', role: 'viewer' }).expect(403);
      expect(body).toMatchObject({ code: 'permission_denied' });
    }
    const { key } = await createKey('admin');
    await createKey('viewer', withKey(key));
  });
});

describe('an API key', () => {
  it('is taken in either header', async () => {
    const { key } = await createKey('viewer');
    await clientOf(system.url, { authorization: `Bearer ${key}` })
      .get('/v1/customers')
      .expect(200);
    await clientOf(system.url, { authorization: `bearer ${key}` })
      .get('/v1/customers')
      .expect(200);
    await withKey(key).get('/v1/customers').expect(200);
  });

  it('can do what its role can, and is told what it cannot', async () => {
    const { key } = await createKey('viewer');
    await withKey(key).get('/v1/customers').expect(200);
    const { body } = await withKey(key).post('/v1/customers', { name: 'x' }).expect(403);
    expect(body).toMatchObject({
      code: 'permission_denied',
      error: expect.stringContaining('customers:write'),
    });
    const ingest = await createKey('ingest');
    await withKey(ingest.key).get('/v1/customers').expect(403);
    await withKey(ingest.key).get('/v1/api-keys').expect(403);
  });

  it('is not a user session', async () => {
    const { body } = await workspace.http.get('/v1/users/me').expect(403);
    expect(body).toMatchObject({ code: 'user_session_required' });
  });

  it('is seen to be in use', async () => {
    const { id, key } = await createKey('viewer');
    await withKey(key).get('/v1/customers').expect(200);
    // Closing the process writes what is still to be noted; another one shows it.
    const other = await createApiApp(system.settings);
    await supertest(other.getHttpServer()).get('/v1/customers').set('x-api-key', key).expect(200);
    await other.close();
    const { body } = await workspace.session.get('/v1/api-keys').expect(200);
    const shown = (body as { data: { id: string; lastUsedAt: string | null }[] }).data.find(
      (one) => one.id === id,
    );
    expect(shown!.lastUsedAt).toMatch(/^\d{4}-.*Z$/);
  });
});

describe('a restricted API key', () => {
  it('can do only what it was given, and makes no key that can do more', async () => {
    const body = { name: 'x', role: 'admin', permissions: ['customers:read', 'api_keys:write'] };
    const { key, permissions } = (await workspace.session.post('/v1/api-keys', body).expect(201)).body;
    expect(permissions).toEqual(['api_keys:write', 'customers:read']);
    const client = withKey(key as string);
    await client.get('/v1/customers').expect(200);
    const refused = await client.post('/v1/customers', { name: 'x' }).expect(403);
    expect(refused.body).toMatchObject({
      code: 'permission_denied',
      error: expect.stringMatching(/restricted.*customers:write/),
    });
    const more = await client.post('/v1/api-keys', { name: 'x', role: 'viewer' }).expect(403);
    expect(more.body).toMatchObject({ code: 'role_exceeds_own' });
    const { id } = await createKey('admin');
    await client.post(`/v1/api-keys/${id}/rotate`).expect(403);
    const kept = await client.delete(`/v1/api-keys/${id}`).expect(403);
    expect(kept.body).toMatchObject({ code: 'role_exceeds_own' });
    await client
      .post('/v1/api-keys', { name: 'x', role: 'viewer', permissions: ['customers:read'] })
      .expect(201);
  });
});

describe('an API key that expires', () => {
  it('is refused from that time on, and says so', async () => {
    const expiresAt = addSeconds(systemClock.now(), 3_600);
    const body = { name: 'x', role: 'viewer', expiresAt };
    const created = (await workspace.session.post('/v1/api-keys', body).expect(201)).body;
    expect(created.expiresAt).toBe(expiresAt);
    const client = withKey(created.key as string);
    await client.get('/v1/customers').expect(200);
    // The key is in memory by now. Its expiry counts all the same.
    const now = jest.spyOn(systemClock, 'now').mockReturnValue(expiresAt);
    try {
      const { body: refusal } = await client.get('/v1/customers').expect(401);
      expect(refusal).toMatchObject({ code: 'api_key_expired', error: expect.stringContaining(expiresAt) });
    } finally {
      now.mockRestore();
    }
  });
});

describe('an admin key that expires', () => {
  it('makes no key that outlives it', async () => {
    const expiresAt = addSeconds(systemClock.now(), 3_600);
    const body = { name: 'x', role: 'admin', expiresAt };
    const { id, key } = (await workspace.session.post('/v1/api-keys', body).expect(201)).body;
    const client = withKey(key as string);
    const rotation = `/v1/api-keys/${id}/rotate`;
    const later = addSeconds(expiresAt, 1);
    for (const refused of [
      await client.post('/v1/api-keys', { name: 'x', role: 'viewer' }).expect(403),
      await client.post('/v1/api-keys', { name: 'x', role: 'viewer', expiresAt: later }).expect(403),
      await client.post(rotation).expect(403),
      await client.post(rotation, { expiresAt: later }).expect(403),
    ])
      expect(refused.body).toMatchObject({
        code: 'expiry_exceeds_own',
        error: expect.stringContaining(expiresAt),
      });
    const created = await client.post('/v1/api-keys', { name: 'x', role: 'viewer', expiresAt }).expect(201);
    expect(created.body.expiresAt).toBe(expiresAt);
    const rotated = await client.post(rotation, { expiresAt, overlapSeconds: 0 }).expect(201);
    expect(rotated.body.expiresAt).toBe(expiresAt);
    await withKey(rotated.body.key as string)
      .get('/v1/customers')
      .expect(200);
  });
});

describe('POST /v1/api-keys/:id/rotate', () => {
  const rotate = (id: string, body: object = {}, client = workspace.session) =>
    client.post(`/v1/api-keys/${id}/rotate`, body);

  it('makes a new key with the same rights, and lets the old one expire', async () => {
    const made = { name: 'of the collector', role: 'viewer', permissions: ['customers:read'] };
    const old = (await workspace.session.post('/v1/api-keys', made).expect(201)).body;
    const { body } = await rotate(old.id as string, { overlapSeconds: 600 }).expect(201);
    expect(body).toMatchObject({ ...made, expiresAt: null, replacedBy: null });
    expect(body.id).not.toBe(old.id);
    for (const key of [old.key, body.key] as string[]) await withKey(key).get('/v1/customers').expect(200);
    const { data } = (await workspace.session.get('/v1/api-keys').expect(200)).body;
    const shown = data.find((one: NewKey) => one.id === old.id);
    expect(shown.replacedBy).toBe(body.id);
    expect(Date.parse(shown.expiresAt as string) - systemClock.nowMillis()).toBeLessThanOrEqual(600_000);
    const again = await rotate(old.id as string).expect(409);
    expect(again.body).toMatchObject({ code: 'api_key_rotated' });
    await workspace.session.delete(`/v1/api-keys/${old.id}`).expect(204);
    await rotate(old.id as string).expect(404);
  });

  it('refuses an expiry in the past', async () => {
    const { id } = await createKey('viewer');
    const { body } = await rotate(id, { expiresAt: '2026-01-01T00:00:00Z' }).expect(400);
    expect(body.details[0].field).toBe('expiresAt');
  });

  it('ends the old key at once without an overlap, also where it is in memory', async () => {
    const { id, key } = await createKey('viewer');
    await withKey(key).get('/v1/customers').expect(200);
    await rotate(id, { overlapSeconds: 0 }).expect(201);
    const { body } = await withKey(key).get('/v1/customers').expect(401);
    expect(body).toMatchObject({ code: 'api_key_expired' });
    expect((await rotate(id).expect(409)).body).toMatchObject({ code: 'api_key_rotated' });
  });

  it('of twenty requests at once makes one key', async () => {
    const { id } = await createKey('viewer');
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(id)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it('gives the one key anew when the first request died before it could answer', async () => {
    const { id } = await createKey('viewer');
    const ask = () => rotate(id).set('Idempotency-Key', 'r');
    const first = (await ask().expect(201)).body as NewKey;
    await db.query(`DELETE FROM idempotency.answers`);
    const second = (await ask().expect(201)).body as NewKey;
    expect(second.id).toBe(first.id);
    await withKey(second.key).get('/v1/customers').expect(200);
    await withKey(first.key).get('/v1/customers').expect(401);
  });

  it('gives a key that rotates itself the one key anew, although the key expires now', async () => {
    const old = await createKey('admin');
    const ask = () => rotate(old.id, {}, withKey(old.key)).set('Idempotency-Key', 'itself');
    const first = (await ask().expect(201)).body as NewKey;
    await db.query(`DELETE FROM idempotency.answers`);
    const { body: second } = await ask().expect(201);
    expect(second).toMatchObject({ id: first.id, expiresAt: null });
    await withKey(second.key as string)
      .get('/v1/customers')
      .expect(200);
  });

  it("does not know another workspace's keys", async () => {
    const { id } = await createKey('viewer');
    await rotate(id, {}, (await system.workspace()).session).expect(404);
  });
});

describe('DELETE /v1/api-keys/:id', () => {
  it('revokes the key at once', async () => {
    const { id, key } = await createKey('viewer');
    await withKey(key).get('/v1/customers').expect(200);
    await workspace.session.delete(`/v1/api-keys/${id}`).expect(204);
    const { body } = await withKey(key).get('/v1/customers').expect(401);
    expect(body).toMatchObject({ code: 'invalid_credential' });
    const list = await workspace.session.get('/v1/api-keys').expect(200);
    expect((list.body as { data: NewKey[] }).data.map((one) => one.id)).not.toContain(id);
    await workspace.session.delete(`/v1/api-keys/${id}`).expect(404);
    const record = system.api.get(AggregateStore).load(apiKeyDecider, aggregateId(workspace.workspaceId, id));
    await expect(record).resolves.toMatchObject({ revoked: true });
  });

  it('is heard of in every other process', async () => {
    const { id, key } = await createKey('viewer');
    const other = await createApiApp(system.settings);
    try {
      const use = () => supertest(other.getHttpServer()).get('/v1/customers').set('x-api-key', key);
      await use().expect(200);
      const heard = new Promise<void>((resolve) => {
        void other.get(NotificationListener).on('identity_api_keys', () => resolve());
      });
      await workspace.session.delete(`/v1/api-keys/${id}`).expect(204);
      await heard;
      await use().expect(401);
    } finally {
      await other.close();
    }
  });

  it("does not know another workspace's keys", async () => {
    const { id, key } = await createKey('viewer');
    const stranger = await system.workspace();
    await stranger.session.delete(`/v1/api-keys/${id}`).expect(404);
    await withKey(key).get('/v1/customers').expect(200);
    const { body } = await stranger.session.get('/v1/api-keys').expect(200);
    expect((body as { data: NewKey[] }).data.map((one) => one.id)).not.toContain(id);
  });
});

describe('GET /v1/api-keys', () => {
  it('lists in pages, oldest first', async () => {
    const { session } = await system.workspace();
    const ids = [];
    for (const role of ['viewer', 'ingest', 'finance'] as const)
      ids.push((await createKey(role, session)).id);
    const page = async (query: string): Promise<string[]> =>
      ((await session.get(`/v1/api-keys${query}`).expect(200)).body as { data: NewKey[] }).data.map(
        ({ id }) => id,
      );
    expect((await page('')).slice(1)).toEqual(ids);
    expect(await page('?limit=2&offset=2')).toEqual(ids.slice(1));
    await session.get('/v1/api-keys?limit=0').expect(400);
  });
});

describe('the OpenAPI document', () => {
  it('says which credentials each operation takes', async () => {
    const { body } = await clientOf(system.url).get('/v1/openapi.json').expect(200);
    const { paths } = body as { paths: Record<string, Record<string, Record<string, unknown>>> };
    expect(paths['/v1/auth/login']!['post']).toMatchObject({ security: [] });
    expect(paths['/v1/users/me']!['get']).toMatchObject({
      security: [{ bearer: [] }],
      'x-user-session-only': true,
    });
    expect(paths['/v1/customers']!['get']).toMatchObject({
      security: [{ bearer: [] }, { 'api-key': [] }],
      'x-permission': 'customers:read',
    });
  });
});

describe('a request without a valid credential', () => {
  const cases: Record<string, Record<string, string>> = {
    'no credential': {},
    'an empty Authorization': { authorization: '' },
    'another scheme': { authorization: 'Basic dXNlcjpwYXNz' },
    'Bearer and nothing': { authorization: 'Bearer' },
    'a bad checksum': { 'x-api-key': `svc_${'a'.repeat(33)}` },
    'something that is not a key': { 'x-api-key': 'null' },
    'an empty x-api-key': { 'x-api-key': '' },
    'two keys in one header': { 'x-api-key': 'svc_a, svc_b' },
    'a very long token': { authorization: `Bearer ${'a.'.repeat(4_000)}` },
    'bytes that are no text': { authorization: 'Bearer \u00ff\u00fe' },
    'two credentials that differ': { authorization: 'Bearer x', 'x-api-key': 'y' },
  };

  it.each(Object.entries(cases))('(%s) is answered with 401', async (_, headers) => {
    const answer = await clientOf(system.url, headers).get('/v1/customers').expect(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="countinghouse"');
    expect(answer.body).toEqual({
      error: expect.any(String),
      code: expect.stringMatching(/^(missing|invalid)_credential$/),
      requestId: expect.any(String),
    });
  });

  it('cannot pass an access token off as an API key', async () => {
    await withKey(workspace.accessToken).get('/v1/customers').expect(401);
  });

  it('is 401 before the body is looked at', async () => {
    await clientOf(system.url).post('/v1/customers', { nonsense: true }).expect(401);
  });
});
