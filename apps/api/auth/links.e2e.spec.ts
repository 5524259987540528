import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { addUser } from '../../../test/support/second-user.js';
import { MailServer, textOf } from '../../../test/support/mail-server.js';
import { Receiver } from '../../../test/support/receiver.js';
import {
  clientOf,
  createPool,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

const password = 'another long enough password';
let system: System;
let mail: MailServer;
let db: pg.Pool;
let anybody: Client;
let user: TestWorkspace;

beforeAll(async () => {
  mail = await MailServer.start();
  system = await startSystem({ MAIL_URL: mail.url, MAIL_FROM: 'billing@example.com' });
  db = createPool(system.database, 6);
  anybody = clientOf(system.url);
});
afterAll(async () => {
  await db?.end();
  await system?.stop();
  await mail?.close();
});
beforeEach(async () => {
  user = await system.workspace();
});

type Purpose = 'magic-link' | 'reset-password';
const REQUESTS = { 'magic-link': '/v1/auth/magic-link', 'reset-password': '/v1/auth/forgot-password' };
const request = (purpose: Purpose, email: string) => anybody.post(REQUESTS[purpose], { email }).expect(202);
/** The token of the link in the next mail to this address. */
async function received(purpose: Purpose, email: string): Promise<string> {
  const text = textOf(await mail.next(email));
  return new RegExp(`http://127.0.0.1:3000/auth/${purpose}/([\\w-]{43})\\n`).exec(text)![1]!;
}
async function link(purpose: Purpose, email = user.email): Promise<string> {
  await request(purpose, email);
  return received(purpose, email);
}
const verify = (token: string, chosen?: string) =>
  anybody.post('/v1/auth/magic-link/verify', { token, password: chosen });
/** Proves the address of the user, as the person who registered it does. */
const prove = async () => verify(await link('magic-link'), user.password).expect(200);
const reset = (token: string, chosen = password) =>
  anybody.post('/v1/auth/reset-password', { token, password: chosen });
const login = (chosen: string) => anybody.post('/v1/auth/login', { email: user.email, password: chosen });
const bearing = (token: string) => clientOf(system.url, { authorization: `Bearer ${token}` });
/** Waits until this number of statements wait for a lock in the database. */
async function blocked(count: number): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows[0]!.count === count) return;
  }
}
/** Waits until every request for a link is decided. */
async function decided(): Promise<void> {
  for (;;) {
    const { rows } = await db.query(`SELECT 1 FROM saga.tasks WHERE name = 'mail-link' AND status <> 'done'`);
    if (rows.length === 0) return;
  }
}
/** Waits until the events of every change are written. */
async function delivered(): Promise<void> {
  for (;;) {
    const { rows } = await db.query('SELECT 1 FROM identity.outbox');
    if (rows.length === 0) return;
  }
}
/** Sends requests at once that all wait for the user's row, and lets them go on. Returns their statuses. */
async function atOnce(send: () => PromiseLike<{ status: number }>, count: number): Promise<number[]> {
  const holder = await db.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM identity.users WHERE email = $1 FOR UPDATE', [user.email]);
  const sent = Array.from({ length: count }, async () => (await send()).status);
  await blocked(count);
  await holder.query('ROLLBACK');
  holder.release();
  return (await Promise.all(sent)).sort();
}

describe('a request for a link', () => {
  it.each<Purpose>(['magic-link', 'reset-password'])(
    'of %s is answered alike, with the same work, whether the address has a user or not',
    async (purpose) => {
      // Nobody can read the users meanwhile, so neither answer nor its time depends on one.
      const holder = await db.connect();
      await holder.query('BEGIN; LOCK TABLE identity.users, identity.link_tokens IN ACCESS EXCLUSIVE MODE');
      const known = await request(purpose, user.email.toUpperCase());
      const unknown = await request(purpose, 'nobody-at-all@example.com');
      await holder.query('ROLLBACK');
      holder.release();
      expect(unknown.body).toEqual(known.body);
      await received(purpose, user.email);
      // Each leaves one task, and its address is encrypted.
      const { rows } = await db.query<{ payload: { purpose: string } }>(
        `SELECT payload FROM saga.tasks WHERE name = 'mail-link' AND payload ->> 'purpose' = $1`,
        [purpose],
      );
      expect(rows).toHaveLength(2);
      expect(JSON.stringify(rows)).not.toContain('@');
      await anybody.post(REQUESTS[purpose], { email: 'no address' }).expect(400);
    },
  );

  it('is limited for each user, and no answer tells that', async () => {
    const tokens = [];
    for (let n = 0; n < 5; n++) tokens.push(await link('magic-link'));
    await request('magic-link', user.email);
    await link('reset-password');
    await decided();
    const { rows } = await db.query(
      `SELECT purpose, count(*)::int FROM identity.link_tokens t JOIN identity.users u ON u.id = t.subject
       WHERE u.email = $1 GROUP BY purpose ORDER BY purpose`,
      [user.email],
    );
    expect(rows).toEqual([
      { purpose: 'magic-link', count: 5 },
      { purpose: 'reset-password', count: 1 },
    ]);
    await verify(tokens[0]!).expect(200);
  });

  it('of a deactivated user leads to nothing, and no link signs in any more', async () => {
    const token = await link('magic-link');
    await db.query(`UPDATE identity.users SET status = 'deactivated' WHERE email = $1`, [user.email]);
    await verify(token).expect(401);
    expect((await anybody.get(`/auth/magic-link/${token}`)).text).toContain('Press the button to sign in.');
    await anybody.post(`/auth/magic-link/${token}`).type('form').send('').expect(401);
    await request('magic-link', user.email);
    await decided();
    expect(mail.received).toEqual([]);
    const { rows } = await db.query(
      `SELECT count(*)::int FROM identity.link_tokens t JOIN identity.users u ON u.id = t.subject WHERE u.email = $1`,
      [user.email],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });
});

describe('a link to sign in', () => {
  it('signs in once, of several requests at once, and is stored as a hash', async () => {
    const token = await link('magic-link');
    const { rows } = await db.query<{ all: string; same: boolean }>(
      'SELECT t::text AS all, hash = sha256($1::bytea) AS same FROM identity.link_tokens t',
      [Buffer.from(token)],
    );
    expect(rows.map(({ all }) => all).join()).not.toContain(token);
    expect(rows.filter(({ same }) => same)).toHaveLength(1);
    expect(await atOnce(() => verify(token), 3)).toEqual([200, 401, 401]);
    const { body } = await verify(token).expect(401);
    expect(body.code).toBe('invalid_link');
  });

  it('is a page whose button signs in; opening it uses nothing', async () => {
    const token = await link('magic-link');
    const path = `/auth/magic-link/${token}`;
    for (let opened = 0; opened < 2; opened++) {
      const { text, headers } = await anybody.get(path).expect(200);
      expect(text).toContain('<button>Sign in</button>');
      expect(text).not.toContain(user.email);
      expect(headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex, nofollow',
      });
    }
    const { text } = await anybody.post(path).type('form').send('').expect(200);
    const accessToken = /Access token <code class="token">([^<]+)</.exec(text)![1]!;
    const { body: me } = await bearing(accessToken).get('/v1/users/me').expect(200);
    expect(me).toMatchObject({ email: user.email });
    expect((await anybody.get(path).expect(404)).text).toContain('This link does not work any more');
    await anybody.post(path).type('form').send('').expect(401);
    await anybody.get(`/auth/magic-link/${'A'.repeat(43)}`).expect(404);
  });

  it('is refused after 10 minutes, and for another purpose', async () => {
    const token = await link('magic-link');
    await reset(token).expect(401);
    const lasts = `extract(epoch FROM expires_at - created_at)::int`;
    const { rows } = await db.query(
      `UPDATE identity.link_tokens t SET expires_at = now() FROM identity.users u WHERE u.id = t.subject AND u.email = $1
       RETURNING (SELECT ${lasts} FROM identity.link_tokens old WHERE old.hash = t.hash) AS lasts`,
      [user.email],
    );
    expect(rows).toEqual([{ lasts: 600 }]);
    await verify(token).expect(401);
  });
});

describe('a link to choose a new password', () => {
  it('sets it once, and ends all sessions and all links of the user', async () => {
    await prove();
    const [token, other, signIn] = [
      await link('reset-password'),
      await link('reset-password'),
      await link('magic-link'),
    ];
    expect((await reset(token, 'password123').expect(400)).body.code).toBe('password_too_common');
    expect((await reset(token, user.email).expect(400)).body.code).toBe('password_is_email');
    expect(await atOnce(() => reset(token), 3)).toEqual([204, 401, 401]);
    await user.session.get('/v1/users/me').expect(401);
    await anybody.post('/v1/auth/refresh', { refreshToken: user.refreshToken }).expect(401);
    await reset(other).expect(401);
    await verify(signIn).expect(401);
    await login(user.password).expect(401);
    const { body } = await login(password).expect(200);
    const { data } = (
      await bearing(body.tokens.accessToken as string)
        .get(`/v1/audit?resourceId=${body.user.id}`)
        .expect(200)
    ).body as { data: { action: string }[] };
    expect(data.map(({ action }) => action).reverse()).toEqual([
      'user.registered',
      'user.signed_in',
      'user.signed_in',
      'user.password_reset',
      'user.session_revoked',
      'user.session_revoked',
      'user.signed_in',
    ]);
  });

  it('keeps the keys that the user makes after the proof', async () => {
    await reset(await link('reset-password')).expect(204);
    const session = await login(password).expect(200);
    const own = bearing((session.body as { tokens: { accessToken: string } }).tokens.accessToken);
    const { key } = (await own.post('/v1/api-keys', { name: 'own', role: 'admin' }).expect(201)).body as {
      key: string;
    };
    await reset(await link('reset-password'), 'one more long enough password').expect(204);
    await clientOf(system.url, { 'x-api-key': key }).get('/v1/customers').expect(200);
  });

  it('revokes also the keys that are made while it runs, by sessions, keys and rotations', async () => {
    const { id } = (await user.http.get('/v1/api-keys').expect(200)).body.data[0] as { id: string };
    const token = await link('reset-password');
    // The password is reset and the keys are revoked, but nothing is committed until the session's row is free.
    const holder = await db.connect();
    await holder.query('BEGIN');
    await holder.query(
      `SELECT 1 FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id WHERE u.email = $1 FOR UPDATE OF s`,
      [user.email],
    );
    const resetting = reset(token).then(({ status }) => status);
    await blocked(1);
    const create = { name: 'late', role: 'admin' };
    const making = [
      user.http.post('/v1/api-keys', create),
      user.session.post('/v1/api-keys', create),
      user.http.post(`/v1/api-keys/${id}/rotate`, {}),
    ].map(async (sent) => await sent);
    await Promise.race([blocked(4), Promise.all(making.slice(0, 2))]);
    await holder.query('ROLLBACK');
    holder.release();
    expect(await resetting).toBe(204);
    const answers = await Promise.all(making);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    const { rows } = await db.query(
      'SELECT id FROM identity.api_keys WHERE workspace_id = $1 AND revoked_at IS NULL',
      [user.workspaceId],
    );
    expect(rows).toEqual([]);
  });

  it('ends many keys by one statement, and their events follow', async () => {
    const create = { name: 'many', role: 'admin' };
    for (let made = 0; made < 60; made++) await user.http.post('/v1/api-keys', create).expect(201);
    const token = await link('reset-password');
    await reset(token).expect(204);
    const { rows } = await db.query(
      `SELECT count(DISTINCT revoked_at)::int AS instants, count(*)::int AS keys
       FROM identity.api_keys WHERE workspace_id = $1`,
      [user.workspaceId],
    );
    // The first key of the workspace ends too.
    expect(rows).toEqual([{ instants: 1, keys: 61 }]);
    await delivered();
    const { rows: written } = await db.query('SELECT 1 FROM identity.outbox');
    expect(written).toEqual([]);
  });

  it('keeps the keys of a user who proved the address before', async () => {
    await prove();
    await reset(await link('reset-password')).expect(204);
    await user.http.get('/v1/customers').expect(200);
  });

  it('is a page with a form for the password', async () => {
    const path = `/auth/reset-password/${await link('reset-password')}`;
    expect((await anybody.get(path).expect(200)).text).toContain('<input name="password" type="password"');
    const send = (chosen: string) =>
      anybody
        .post(path)
        .type('form')
        .send(`password=${encodeURIComponent(chosen)}`);
    expect((await send('short').expect(400)).text).toContain('Password must be text of 8 to 256 characters.');
    const { text } = await send(password).expect(200);
    expect(text).toContain('Your password is changed');
    const [, signInPath] = /href="(\/auth\/sign-in[^"]*)"/.exec(text)!;
    expect((await anybody.get(signInPath!).expect(200)).text).toContain('name="password"');
    await login(password).expect(200);
    await send(password).expect(401);
  });

  it('leads to a page to sign in, with the name and colour of the seller, in the language of the browser', async () => {
    const settings = { brandColor: '#0b5fff', language: 'fr' };
    await user.http.put('/v1/billing-settings', settings).expect(200);
    const inGerman = (path: string) => anybody.get(path).set('accept-language', 'de-AT,en;q=0.5').expect(200);
    const { text: page } = await inGerman(`/auth/sign-in?workspace=${user.workspaceId}`);
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('--brand: #0b5fff');
    expect(page).toContain('<p class="seller">');
    const post = (path: string, fields: object) =>
      anybody
        .post(path)
        .type('form')
        .send(new URLSearchParams({ ...fields }).toString());
    const wrong = await post('/auth/sign-in', { email: user.email, password: 'not the password' }).expect(
      401,
    );
    expect(wrong.text).toContain('The e-mail address or the password is wrong.');
    const signedIn = await post('/auth/sign-in', { email: user.email, password: user.password }).expect(200);
    expect(signedIn.text).toContain('<a href="/docs">');
    const asked = await post('/auth/sign-in/link', { email: user.email, purpose: 'magic-link' }).expect(200);
    expect(asked.text).toContain('Look into your mailbox');
    // The mail is in the language of the documents of the workspace.
    expect(textOf(await mail.next(user.email))).toContain('Vous avez demand');
  });

  it('lets no sign-in with the old password pass that began before', async () => {
    const token = await link('reset-password');
    const holder = await db.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM identity.users WHERE email = $1 FOR UPDATE', [user.email]);
    const resetting = reset(token).then();
    await blocked(1);
    // Its password was right when it was checked.
    const signingIn = login(user.password).then();
    await blocked(2);
    await holder.query('ROLLBACK');
    holder.release();
    expect([(await resetting).status, (await signingIn).status]).toEqual([204, 401]);
  });
});

describe('the first proof of an address that somebody else registered', () => {
  const connection = {
    name: 'Squatter',
    issuer: 'https://idp.squatter.example',
    clientId: 'c',
    clientSecret: 's',
    domains: ['squatter.example'],
    redirectUris: ['https://squatter.example/sso'],
    defaultRole: 'admin',
    createUsers: true,
  };
  /** What the person sees of each kind, in a workspace of nobody else. */
  const KINDS = {
    'customers, and so portal sessions and links': '/v1/customers',
    'API keys': '/v1/api-keys',
    invitations: '/v1/users/invitations',
    'SSO connections': '/v1/sso-connections',
    webhooks: '/v1/webhooks',
  };
  /** Leaves one of each kind in the workspace of the address. Returns the clients of whoever registered it. */
  async function squat(): Promise<Client[]> {
    const accomplice = await addUser(system, user, 'admin');
    const create = { name: 'k', role: 'admin' };
    const made = await user.http.post('/v1/api-keys', create).expect(201);
    const second = clientOf(system.url, { 'x-api-key': (made.body as { key: string }).key });
    const third = await accomplice.session.post('/v1/api-keys', create).expect(201);
    await second.post('/v1/customers', { id: 'c', name: 'C' }).expect(201);
    await user.session.post('/v1/users/invitations', { email: `x-${user.email}`, role: 'admin' }).expect(201);
    await user.session.post('/v1/sso-connections', connection).expect(201);
    const receiver = await Receiver.start();
    await user.session.post('/v1/webhooks', { url: receiver.url }).expect(201);
    await receiver.close();
    return [
      user.http,
      user.session,
      second,
      clientOf(system.url, { 'x-api-key': (third.body as { key: string }).key }),
    ];
  }
  const proofs: Record<Purpose, () => Promise<string>> = {
    'magic-link': async () => {
      const { body } = await verify(await link('magic-link')).expect(200);
      expect(body.newWorkspace).toBe(true);
      return body.tokens.accessToken as string;
    },
    'reset-password': async () => {
      await reset(await link('reset-password')).expect(204);
      return (await login(password).expect(200)).body.tokens.accessToken as string;
    },
  };

  it.each<Purpose>(['magic-link', 'reset-password'])('by %s leads to nothing of theirs', async (purpose) => {
    const squatters = await squat();
    const own = bearing(await proofs[purpose]());
    const { body: me } = await own.get('/v1/users/me').expect(200);
    expect(me).toMatchObject({ email: user.email, role: 'admin', status: 'active' });
    expect(me.accountId).not.toBe(user.workspaceId);
    const left: Record<string, unknown> = {};
    for (const [kind, path] of Object.entries(KINDS))
      left[kind] = (await own.get(path).expect(200)).body.data;
    expect(left).toEqual(Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []])));
    expect((await own.get('/v1/users').expect(200)).body.data).toEqual([me]);
    for (const squatter of squatters) await squatter.get('/v1/customers').expect(401);
    await login(user.password).expect(401);
    await anybody.post('/v1/auth/refresh', { refreshToken: user.refreshToken }).expect(401);
  });

  it('lets nobody of the former workspace go live', async () => {
    const accomplice = await addUser(system, user, 'admin');
    const own = bearing(await proofs['magic-link']());
    const emailCheck = async (client: Client) =>
      (
        (
          await client
            .post('/v1/workspace/go-live', { adminEmail: 'a@example.com', preview: true })
            .expect(200)
        ).body as {
          checks: { check: string; status: string }[];
        }
      ).checks.find(({ check }) => check === 'email_address')!.status;
    expect(await emailCheck(accomplice.session)).toBe('failed');
    expect(await emailCheck(own)).toBe('ok');
  });

  it('with the password of the registration keeps the user, the sandbox and its keys', async () => {
    const token = await link('magic-link');
    const { body: refused } = await verify(token, 'not the password').expect(401);
    expect(refused.code).toBe('invalid_credentials');
    const { body } = await verify(token, user.password).expect(200);
    expect(body).toMatchObject({ newWorkspace: false, user: { accountId: user.workspaceId } });
    await user.http.get('/v1/customers').expect(200);
    await user.session.get('/v1/customers').expect(200);
    // From now on a link needs no password.
    expect((await anybody.get(`/auth/magic-link/${await link('magic-link')}`)).text).not.toContain(
      'name="password"',
    );
    const { body: next } = await verify(await link('magic-link')).expect(200);
    expect(next).toMatchObject({ newWorkspace: false, user: body.user as object });
  });

  it('can keep the sandbox on the page of the link too, and both pages say what begins', async () => {
    const anew = 'you begin with a new, empty workspace';
    const resetPage = await anybody.get(`/auth/reset-password/${await link('reset-password')}`).expect(200);
    expect(resetPage.text).toContain(anew);
    const path = `/auth/magic-link/${await link('magic-link')}`;
    const { text } = await anybody.get(path).expect(200);
    expect(text).toContain(anew);
    expect(text).toContain('<input name="password" type="password" autocomplete="current-password"');
    const send = (chosen: string) =>
      anybody
        .post(path)
        .type('form')
        .send(new URLSearchParams({ password: chosen }).toString());
    expect((await send('not the password').expect(401)).text).toContain('the password is wrong');
    const signedIn = await send(user.password).expect(200);
    const own = bearing(/Access token <code class="token">([^<]+)</.exec(signedIn.text)![1]!);
    expect((await own.get('/v1/users/me').expect(200)).body.accountId).toBe(user.workspaceId);
  });
});
