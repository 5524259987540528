import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { argon2id, hash } from 'argon2';
import type pg from 'pg';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import {
  Passwords,
  sessionDecider,
  userDecider,
  workspaceDecider,
  type SessionTokens,
} from '#libs/contexts/identity';
import { createPool, clientOf, startSystem, type Client, type System } from '../../../test/support/index.js';

const password = 'correct horse battery staple';

let system: System;
let anybody: Client;
let db: pg.Pool;
beforeAll(async () => {
  system = await startSystem();
  anybody = clientOf(system.url);
  db = createPool(system.database);
  db.on('error', () => undefined);
});
afterAll(async () => {
  await db.end();
  await system.stop();
});

const bearing = (token: string): Client => clientOf(system.url, { authorization: `Bearer ${token}` });
const tokensOf = (response: { body: unknown }): SessionTokens =>
  (response.body as { tokens: SessionTokens }).tokens;
const sessionIdOf = (accessToken: string): string =>
  (JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as { sid: string }).sid;

async function refresh(refreshToken: string, status = 200): Promise<SessionTokens> {
  return tokensOf(await anybody.post('/v1/auth/refresh', { refreshToken }).expect(status));
}

/** Resolves when `count` queries of the API wait for a lock that the test holds. */
async function blocked(count: number): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows[0]!.count === count) return;
  }
}

describe('POST /v1/auth/register', () => {
  it('creates a user and a sandbox workspace and signs the user in', async () => {
    const body = { email: 'Ada@Example.com', password, name: 'Ada', companyName: 'Engines Ltd' };
    const { body: answer } = await anybody.post('/v1/auth/register', body).expect(201);
    const { user, tokens } = answer as { user: { id: string; accountId: string }; tokens: SessionTokens };
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_[0-9A-Z]{26}$/),
      email: 'ada@example.com',
      name: 'Ada',
      accountId: expect.stringMatching(/^acc_[0-9A-Z]{26}$/),
      role: 'admin',
      status: 'active',
    });
    expect(Object.keys(tokens).sort()).toEqual(['accessToken', 'expiresIn', 'refreshToken']);
    expect(tokens.expiresIn).toBe(900);
    await bearing(tokens.accessToken).get('/v1/users/me').expect(200, user);

    const clock = await db.query('SELECT mode FROM workspaces.clocks WHERE workspace_id = $1', [
      user.accountId,
    ]);
    expect(clock.rows).toEqual([{ mode: 'sandbox' }]);
    const events = system.api.get(AggregateStore);
    await expect(events.load(workspaceDecider, user.accountId)).resolves.toMatchObject({
      name: 'Engines Ltd',
    });
    await expect(events.load(userDecider, aggregateId(user.accountId, user.id))).resolves.toMatchObject({
      email: 'ada@example.com',
      role: 'admin',
    });
  });

  it('keeps the password as a hash only', async () => {
    await anybody.post('/v1/auth/register', { email: 'hash@example.com', password, name: 'H' }).expect(201);
    const { rows } = await db.query<{ all: string }>(
      `SELECT users::text AS all FROM identity.users WHERE email = 'hash@example.com'`,
    );
    expect(rows[0]!.all).toContain('$argon2id$v=19$m=19456');
    expect(rows[0]!.all).not.toContain(password);
  });

  it('refuses an address that is in use, in whatever capitals', async () => {
    await anybody.post('/v1/auth/register', { email: 'taken@example.com', password, name: 'A' }).expect(201);
    const second = await anybody.post('/v1/auth/register', {
      email: 'TAKEN@example.com',
      password,
      name: 'B',
    });
    expect([second.status, second.body]).toEqual([409, expect.objectContaining({ code: 'email_taken' })]);
  });

  it.each([
    ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
    ['grace@xn--kln-sna.example', 'Grace@KÖLN.example'],
    ['jos\u00e9@example.com', 'JOSE\u0301@example.com'],
  ])('is one user for %s and %s', async (first, second) => {
    await anybody.post('/v1/auth/register', { email: first, password, name: 'A' }).expect(201);
    const again = await anybody.post('/v1/auth/register', { email: second, password, name: 'B' });
    expect([again.status, again.body.code]).toEqual([409, 'email_taken']);
    const { body } = await anybody.post('/v1/auth/login', { email: second, password }).expect(200);
    expect(body.user.name).toBe('A');
  });

  it('gives an address to one of two who ask at the same moment', async () => {
    const holder = await db.connect();
    await holder.query('BEGIN');
    await holder.query(
      `INSERT INTO identity.users VALUES ('usr_held', 'acc_held', 'race@example.com', 'x', 'x', 'admin', 'active', now())`,
    );
    const both = [1, 2].map((n) =>
      anybody.post('/v1/auth/register', { email: 'race@example.com', password, name: `Racer ${n}` }).then(),
    );
    await blocked(2);
    await holder.query('ROLLBACK');
    holder.release();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const { rows } = await db.query(
      `SELECT count(*)::int FROM identity.users WHERE email = 'race@example.com'`,
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  describe('with an Idempotency-Key', () => {
    const register = (body: object, key?: string) => {
      const request = anybody.post('/v1/auth/register', body);
      return key === undefined ? request : request.set('Idempotency-Key', key);
    };
    const userOf = ({ body }: { body: unknown }) => (body as { user: { id: string } }).user;

    it('signs in the user of the first request again, also if its answer was lost', async () => {
      const body = { email: 'again@example.com', password, name: 'A', companyName: 'C' };
      const first = await register(body, 'r1').expect(201);
      expect(first.headers['idempotency-replayed']).toBeUndefined();
      const second = await register({ ...body, email: 'AGAIN@example.com' }, 'r1').expect(201);
      expect(second.headers['idempotency-replayed']).toBe('true');
      expect(userOf(second)).toEqual(userOf(first));
      for (const answer of [first, second])
        await bearing(tokensOf(answer).accessToken).get('/v1/users/me').expect(200);
    });

    it('makes one user of two identical requests at once', async () => {
      const body = { email: 'twice@example.com', password, name: 'A' };
      const answers = await Promise.all([1, 2, 3].map(async () => register(body, 'r1').expect(201)));
      expect(new Set(answers.map((answer) => userOf(answer).id)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(2);
    });

    it('hands out no tokens to who does not know the password, or sends another body', async () => {
      const body = { email: 'mine@example.com', password, name: 'A' };
      await register(body, 'r1').expect(201);
      for (const other of [{ password: `${password}!` }, { name: 'B' }, { companyName: 'C' }]) {
        const { body: answer } = await register({ ...body, ...other }, 'r1').expect(409);
        expect(answer).toEqual({
          error: expect.any(String),
          code: 'idempotency_key_reused',
          details: [{ field: 'Idempotency-Key', message: expect.any(String) }],
          requestId: expect.any(String),
        });
      }
    });

    it('belongs to an address: another address is another user, and another key finds it taken', async () => {
      const body = { email: 'one@example.com', password, name: 'A' };
      const first = await register(body, 'r1').expect(201);
      const other = await register({ ...body, email: 'two@example.com' }, 'r1').expect(201);
      expect(userOf(other).id).not.toBe(userOf(first).id);
      for (const key of ['r2', undefined])
        expect((await register(body, key).expect(409)).body).toMatchObject({ code: 'email_taken' });
      const { rows } = await db.query<{ row: string }>(
        `SELECT u::text AS row FROM identity.users u WHERE email = 'one@example.com'`,
      );
      expect(rows[0]!.row).not.toContain('r1');
    });

    it('signs in nobody who was deactivated, and nobody who registered without one', async () => {
      const body = { email: 'gone@example.com', password, name: 'A' };
      await register(body, 'r1').expect(201);
      await db.query(`UPDATE identity.users SET status = 'deactivated' WHERE email = $1`, [body.email]);
      expect((await register(body, 'r1').expect(409)).body).toMatchObject({ code: 'email_taken' });
      const keyless = { ...body, email: 'keyless@example.com' };
      await register(keyless).expect(201);
      expect((await register(keyless, 'r1').expect(409)).body).toMatchObject({ code: 'email_taken' });
    });

    it('must be printable', async () => {
      const { body } = await register(
        { email: 'k@example.com', password, name: 'A' },
        'k'.repeat(256),
      ).expect(400);
      expect(body.details[0].field).toBe('Idempotency-Key');
    });
  });

  const valid = { email: 'new@example.com', password, name: 'New' };
  it.each([
    ['email', { ...valid, email: 'not an address' }],
    ['email', { password, name: 'New' }],
    ['email', { ...valid, email: ['new@example.com'] }],
    ['password', { ...valid, password: 'short' }],
    ['password', { ...valid, password: 'password123' }],
    ['password', { ...valid, password: 'x'.repeat(257) }],
    ['password', { ...valid, password: ' '.repeat(10) }],
    ['password', { ...valid, password: 'New@Example.com' }],
    ['name', { ...valid, name: '' }],
    ['name', { ...valid, name: 'a\u0000b' }],
    ['name', { ...valid, name: 'Ada\u202eecalevoL' }],
    ['name', { ...valid, name: 'Ada\u200b' }],
    ['companyName', { ...valid, companyName: 'Engines\u2060 Ltd' }],
    ['email', { ...valid, email: 'ada\u202e@example.com' }],
    ['email', { ...valid, email: 'ada\u200b@example.com' }],
    ['email', { ...valid, email: 'ada@exa\u00admple.com' }],
    ['email', { ...valid, email: 'ａda@example.com' }],
    ['email', { ...valid, email: 'ada@exa%6dple.com' }],
    ['companyName', { ...valid, companyName: 7 }],
    ['companyName', { ...valid, companyName: 'Engines\nLtd' }],
    ['role', { ...valid, role: 'admin' }],
    ['accountId', { ...valid, accountId: 'acc_1' }],
    ['status', { ...valid, status: 'active' }],
  ])('refuses a wrong %s', async (field, body) => {
    const { status, body: answer } = await anybody.post('/v1/auth/register', body);
    expect(status).toBe(400);
    expect((answer as { details: { field: string }[] }).details.map((one) => one.field)).toEqual([field]);
  });
});

describe('POST /v1/auth/login', () => {
  it('answers with the user and new tokens', async () => {
    const { email, workspaceId } = await system.workspace();
    const answer = await anybody.post('/v1/auth/login', { email: email.toUpperCase(), password }).expect(200);
    expect(answer.body).toEqual({
      user: expect.objectContaining({ email, accountId: workspaceId }),
      tokens: expect.anything(),
    });
    await bearing(tokensOf(answer).accessToken).get('/v1/users/me').expect(200);
  });

  it('does not tell an unknown address from a wrong password, not by its work either', async () => {
    const { email } = await system.workspace();
    // The processor's time, which the machine's load does not change: the hash is most of it.
    const attempt = async (body: object): Promise<{ answer: object; work: number }> => {
      const since = process.cpuUsage();
      const { body: answer } = await anybody.post('/v1/auth/login', body).expect(401);
      const { requestId: _, ...rest } = answer as Record<string, unknown>;
      const { user, system: kernel } = process.cpuUsage(since);
      return { answer: rest, work: user + kernel };
    };
    const least = { known: Infinity, unknown: Infinity };
    for (let round = 0; round < 5; round++) {
      const known = await attempt({ email, password: 'not the password' });
      const unknown = await attempt({ email: 'nobody@example.com', password: 'not the password' });
      expect(unknown.answer).toEqual(known.answer);
      expect(known.answer).toMatchObject({ code: 'invalid_credentials' });
      least.known = Math.min(least.known, known.work);
      least.unknown = Math.min(least.unknown, unknown.work);
    }
    // Without the hash it would be a tenth.
    expect(least.unknown / least.known).toBeGreaterThan(0.5);
  });

  it('makes the hash anew when it was made with weaker parameters', async () => {
    const { email } = await system.workspace();
    const weak = await hash(password, { type: argon2id, memoryCost: 4096, timeCost: 1, parallelism: 1 });
    await db.query('UPDATE identity.users SET password_hash = $2 WHERE email = $1', [email, weak]);
    await anybody.post('/v1/auth/login', { email, password }).expect(200);
    const { rows } = await db.query<{ password_hash: string }>(
      'SELECT password_hash FROM identity.users WHERE email = $1',
      [email],
    );
    expect(rows[0]!.password_hash).toContain('m=19456');
    await anybody.post('/v1/auth/login', { email, password }).expect(200);
  });

  it('locks out a user who is deactivated, at once and everywhere', async () => {
    const { email, session, refreshToken } = await system.workspace();
    await db.query(`UPDATE identity.users SET status = 'deactivated' WHERE email = $1`, [email]);
    await anybody.post('/v1/auth/login', { email, password }).expect(401);
    await session.get('/v1/users/me').expect(401);
    await refresh(refreshToken, 401);
  });
});

describe('POST /v1/auth/refresh', () => {
  it('answers with new tokens and nothing else; the session goes on', async () => {
    const { refreshToken, accessToken } = await system.workspace();
    const { body } = await anybody.post('/v1/auth/refresh', { refreshToken }).expect(200);
    expect(Object.keys(body as object)).toEqual(['tokens']);
    const tokens = tokensOf({ body });
    expect(tokens.refreshToken).not.toBe(refreshToken);
    expect(sessionIdOf(tokens.accessToken)).toBe(sessionIdOf(accessToken));
    await bearing(tokens.accessToken).get('/v1/users/me').expect(200);
    await refresh(tokens.refreshToken);
  });

  it('keeps refresh tokens as hashes only', async () => {
    const { refreshToken } = await system.workspace();
    const { rows } = await db.query<{ all: string }>('SELECT t::text AS all FROM identity.refresh_tokens t');
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row.all).not.toContain(refreshToken);
      expect(row.all).not.toContain(Buffer.from(refreshToken).toString('hex'));
    }
  });

  it('ends the whole session when a spent token is used again, and says so in the events', async () => {
    const { workspaceId, refreshToken, accessToken } = await system.workspace();
    const next = await refresh(refreshToken);
    await refresh(refreshToken, 401);
    await refresh(next.refreshToken, 401);
    await bearing(next.accessToken).get('/v1/users/me').expect(401);
    await bearing(accessToken).get('/v1/users/me').expect(401);
    const sessionId = sessionIdOf(accessToken);
    const record = await system.api
      .get(AggregateStore)
      .load(sessionDecider, aggregateId(workspaceId, sessionId));
    expect(record).toMatchObject({ sessionId, ended: true });
    const { rows } = await db.query('SELECT end_reason FROM identity.sessions WHERE id = $1', [sessionId]);
    expect(rows).toEqual([{ end_reason: 'refresh_token_reused' }]);
  });

  it("leaves the user's other sessions alone when it ends one", async () => {
    const { email, refreshToken } = await system.workspace();
    const other = tokensOf(await anybody.post('/v1/auth/login', { email, password }).expect(200));
    await refresh(refreshToken);
    await refresh(refreshToken, 401);
    await refresh(other.refreshToken);
  });

  it('lets one of five at the same moment win, and the winner goes on', async () => {
    const { refreshToken } = await system.workspace();
    const holder = await db.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM identity.refresh_tokens WHERE hash = sha256($1::bytea) FOR UPDATE`, [
      Buffer.from(refreshToken),
    ]);
    const five = Array.from({ length: 5 }, () => anybody.post('/v1/auth/refresh', { refreshToken }).then());
    await blocked(5);
    await holder.query('ROLLBACK');
    holder.release();
    const answers = await Promise.all(five);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const tokens = tokensOf(answers.find(({ status }) => status === 200)!);
    await bearing(tokens.accessToken).get('/v1/users/me').expect(200);
    await refresh(tokens.refreshToken);
  });

  it('does not go on with a session that ends while it waits', async () => {
    const { refreshToken, accessToken } = await system.workspace();
    const holder = await db.connect();
    await holder.query('BEGIN');
    await holder.query(
      `UPDATE identity.sessions SET ended_at = now(), end_reason = 'signed_out' WHERE id = $1`,
      [sessionIdOf(accessToken)],
    );
    const waiting = anybody.post('/v1/auth/refresh', { refreshToken }).then();
    await blocked(1);
    await holder.query('COMMIT');
    holder.release();
    expect((await waiting).status).toBe(401);
  });

  it('refuses one that has expired, an access token, a portal token, and one that was never given', async () => {
    const { refreshToken, accessToken, http } = await system.workspace();
    await http.post('/v1/customers', { id: 'ada', name: 'Ada' }).expect(201);
    const portal = await http.post('/v1/portal/sessions', { customerId: 'ada' }).expect(201);
    const { token } = portal.body as { token: string };
    await refresh(token, 401);
    expect((await bearing(token).get('/v1/users/me').expect(403)).body.code).toBe('portal_token_not_allowed');
    await db.query(`UPDATE identity.refresh_tokens SET expires_at = now() WHERE session_id = $1`, [
      sessionIdOf(accessToken),
    ]);
    await refresh(refreshToken, 401);
    await refresh(accessToken, 401);
    await refresh('never given', 401);
    await anybody.post('/v1/auth/refresh', {}).expect(400);
    await anybody.post('/v1/auth/refresh', { refreshToken: { $gt: '' } }).expect(400);
  });
});

describe('POST /v1/auth/logout', () => {
  it('ends the session of the access token: all its tokens are refused at once', async () => {
    const { refreshToken, accessToken, session } = await system.workspace();
    const next = await refresh(refreshToken);
    await session.post('/v1/auth/logout').expect(204);
    await bearing(accessToken).get('/v1/users/me').expect(401);
    await bearing(next.accessToken).get('/v1/users/me').expect(401);
    await refresh(next.refreshToken, 401);
    await session.post('/v1/auth/logout').expect(401);
  });

  it('ends the session of a refresh token, also when the access token has run out', async () => {
    const one = await system.workspace();
    await anybody.post('/v1/auth/logout', { refreshToken: one.refreshToken }).expect(204);
    await one.session.get('/v1/users/me').expect(401);

    const two = await system.workspace();
    await bearing('run.out').post('/v1/auth/logout', { refreshToken: two.refreshToken }).expect(204);
    await two.session.get('/v1/users/me').expect(401);
  });

  it('leaves other sessions alone', async () => {
    const { email, session } = await system.workspace();
    const other = tokensOf(await anybody.post('/v1/auth/login', { email, password }).expect(200));
    await session.post('/v1/auth/logout').expect(204);
    await bearing(other.accessToken).get('/v1/users/me').expect(200);
  });

  it('needs a token of a session', async () => {
    const { http } = await system.workspace();
    await anybody.post('/v1/auth/logout').expect(401);
    await anybody.post('/v1/auth/logout', { refreshToken: 'never given' }).expect(401);
    await http.post('/v1/auth/logout').expect(403);
    await http.get('/v1/api-keys').expect(200);
  });
});

describe('too many sign-ins and registrations', () => {
  it('are refused at once with the time to try again, and taken when the queue is shorter', async () => {
    const { email } = await system.workspace();
    const passwords = system.api.get(Passwords, { strict: false });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    // Callers take all places, and hold them.
    let refused: unknown;
    const held: Promise<unknown>[] = [];
    while (refused === undefined) {
      held.push(passwords['turns'].run(() => released).catch((error: unknown) => (refused = error)));
      await Promise.resolve();
    }
    const registration = { email: `late-${email}`, password, name: 'Late' };
    try {
      for (const [path, body] of [
        ['/v1/auth/login', { email, password }],
        ['/v1/auth/login', { email: 'nobody@example.com', password }],
        ['/v1/auth/register', registration],
      ] as const) {
        const { body: refusal, headers } = await anybody.post(path, body).expect(429);
        expect(refusal).toMatchObject({ code: 'too_many_sign_ins' });
        expect(headers['retry-after']).toBe('1');
      }
      // Requests that need no password are answered meanwhile.
      await anybody.get('/v1/health').expect(200);
    } finally {
      release();
      await Promise.all(held);
    }
    await anybody.post('/v1/auth/login', { email, password }).expect(200);
    await anybody.post('/v1/auth/register', registration).expect(201);
  });
});
