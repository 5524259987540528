import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { MailServer, textOf } from '../../../test/support/mail-server.js';
import {
  clientOf,
  createPool,
  recordedEvents,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

const password = 'correct horse battery staple';
let system: System;
let mail: MailServer;
let db: pg.Pool;
let workspace: TestWorkspace;
let anybody: Client;

beforeAll(async () => {
  mail = await MailServer.start();
  system = await startSystem({ MAIL_URL: mail.url, MAIL_FROM: 'Countinghouse <billing@example.com>' });
  db = createPool(system.database, 6);
  workspace = await system.workspace({ companyName: 'Engines Ltd' });
  anybody = clientOf(system.url);
});
afterAll(async () => {
  await db?.end();
  await system?.stop();
  await mail?.close();
});

const bearing = (token: string) => clientOf(system.url, { authorization: `Bearer ${token}` });
const login = async (email: string): Promise<Client> => {
  const { body } = await anybody.post('/v1/auth/login', { email, password }).expect(200);
  return bearing((body as { tokens: { accessToken: string } }).tokens.accessToken);
};
const invite = async (email: string, role = 'viewer', as = workspace.session) =>
  (await as.post('/v1/users/invitations', { email, role }).expect(201)).body as {
    id: string;
    expiresAt: string;
  };
/** The token of the link in the next mail to this address. */
const tokenTo = async (email: string): Promise<string> => {
  const text = textOf(await mail.next(email));
  return /http:\/\/127\.0\.0\.1:3000\/auth\/invitation\/([\w-]{43})\n/.exec(text)![1]!;
};
const accept = (token: string, more: object = {}) =>
  anybody.post('/v1/auth/accept-invitation', { token, name: 'Grace', password, ...more });
/** A further user of the workspace, signed in. */
async function member(email: string, role: string, as = workspace.session) {
  await invite(email, role, as);
  const { body } = await accept(await tokenTo(email)).expect(201);
  const { user, tokens } = body as {
    user: { id: string };
    tokens: { accessToken: string; refreshToken: string };
  };
  return { id: user.id, ...tokens, session: bearing(tokens.accessToken) };
}
/** Waits until this number of statements wait for a lock in the database. */
async function blocked(count: number): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows[0]!.count === count) return;
  }
}
const actions = async (resource: string): Promise<string[]> => {
  const { body } = await workspace.session.get(`/v1/audit?resourceId=${resource}`).expect(200);
  return (body as { data: { action: string }[] }).data.map(({ action }) => action).reverse();
};

describe('an invitation', () => {
  it('makes a user of whoever has its link, once, with the role that it has', async () => {
    const email = 'Grace@Example.com';
    const { id } = await invite(email, 'finance');
    const received = await mail.next('grace@example.com');
    const text = textOf(received);
    expect(text).toContain('Subject: Test User invites you to Engines Ltd on Countinghouse');
    expect(text).toContain('with the role finance');
    const token = /auth\/invitation\/([\w-]{43})/.exec(text)![1]!;
    const { rows } = await db.query<{ all: string }>(`SELECT t::text AS all FROM identity.link_tokens t`);
    expect(rows.map(({ all }) => all).join()).not.toContain(token);

    const tooCommon = await accept(token, { password: 'password123' }).expect(400);
    expect(tooCommon.body.code).toBe('password_too_common');
    // Three requests at once, held at the invitation's row.
    const holder = await db.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM identity.invitations WHERE id = $1 FOR UPDATE', [id]);
    const three = [1, 2, 3].map(() => accept(token).then());
    await blocked(3);
    await holder.query('ROLLBACK');
    holder.release();
    const answers = await Promise.all(three);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    const { user, tokens } = answers.find(({ status }) => status === 201)!.body;
    expect(user).toMatchObject({
      email: 'grace@example.com',
      name: 'Grace',
      role: 'finance',
      status: 'active',
      accountId: workspace.workspaceId,
    });
    await bearing(tokens.accessToken as string)
      .get('/v1/invoices')
      .expect(200);
    expect((await accept(token).expect(401)).body.code).toBe('invalid_link');
    expect(await actions(id)).toEqual(['invitation.created', 'invitation.accepted']);
    const { body: list } = await workspace.session.get('/v1/users/invitations').expect(200);
    expect(list.data.find((one: { id: string }) => one.id === id)).toMatchObject({
      email: 'grace@example.com',
      status: 'accepted',
      userId: user.id,
    });
    const again = await workspace.session
      .post('/v1/users/invitations', { email, role: 'viewer' })
      .expect(409);
    expect(again.body.code).toBe('already_member');
  });

  it('is of one address, however its domain is written, and of no address that cannot be read', async () => {
    await invite('eva@münchen.example');
    const again = await workspace.session
      .post('/v1/users/invitations', { email: 'Eva@xn--mnchen-3ya.example', role: 'viewer' })
      .expect(409);
    expect(again.body.code).toBe('already_invited');
    const refused = await workspace.session
      .post('/v1/users/invitations', { email: 'eva\u202e@example.com', role: 'viewer' })
      .expect(400);
    expect(refused.body.details).toEqual([
      { field: 'email', message: expect.stringMatching(/invisible characters.*remove them/) },
    ]);
    // The mail server shows domains in Unicode.
    const { body } = await accept(await tokenTo('eva@münchen.example'), { name: 'Eva\u2066' }).expect(400);
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual(['name']);
  });

  it('has a page that uses nothing when it is opened, and takes a form without a script', async () => {
    await invite('page@example.com', 'viewer');
    const path = `/auth/invitation/${await tokenTo('page@example.com')}`;
    for (let opened = 0; opened < 2; opened++) {
      const { text, headers } = await anybody.get(path).expect(200);
      expect(text).toContain('You are invited to Engines Ltd as page@example.com, with the role viewer.');
      expect(text).not.toMatch(/<script|src=|href="http/);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'/,
        ),
      });
    }
    const send = (fields: string) => anybody.post(path).type('form').send(fields);
    const refused = await send('name=Page&password=password123').expect(400);
    expect(refused.text).toContain('<p>Password is among the most common passwords; choose another.</p>');
    expect(refused.text).toContain('Back to the form');
    const { text } = await send(`name=%3Cb%3EPage&password=${encodeURIComponent(password)}`).expect(200);
    expect(text).toContain('You are signed in as page@example.com.');
    const accessToken = /Access token <code class="token">([^<]+)</.exec(text)![1]!;
    const { body: me } = await bearing(accessToken).get('/v1/users/me').expect(200);
    expect(me).toMatchObject({ name: '<b>Page', role: 'viewer' });
    expect((await send('name=a&password=b').expect(400)).text).toContain('That did not work');
    const { text: used } = await anybody.get(path).expect(404);
    expect(used).toContain('This link does not work any more');
    expect(used).toContain('If you have accepted the invitation, sign in');
    await anybody.get('/auth/invitation/%00').expect(404);
  });

  it('sends nobody more than five mails in a day, whether invited anew or sent again', async () => {
    const email = 'flooded@example.com';
    for (let mails = 0; mails < 4; mails++) {
      const { id } = await invite(email);
      await tokenTo(email);
      await workspace.session.delete(`/v1/users/invitations/${id}`).expect(204);
    }
    const { id } = await invite(email);
    await tokenTo(email);
    const minutesPass = () =>
      db.query(`UPDATE identity.invitations SET sent_at = sent_at - interval '2 minutes' WHERE id = $1`, [
        id,
      ]);
    await minutesPass();
    const resent = await workspace.session.post(`/v1/users/invitations/${id}/resend`).expect(409);
    expect(resent.body.code).toBe('invitation_limit_reached');
    await workspace.session.delete(`/v1/users/invitations/${id}`).expect(204);
    const again = { email, role: 'viewer' };
    const anew = await workspace.session.post('/v1/users/invitations', again).expect(409);
    expect(anew.body.code).toBe('invitation_limit_reached');
    await db.query(
      `UPDATE identity.link_tokens SET created_at = created_at - interval '2 days' WHERE subject = $1`,
      [id],
    );
    await workspace.session.post('/v1/users/invitations', again).expect(201);
  });

  it('is one of at most a hundred that are pending, or were made and revoked in a day', async () => {
    const crowded = await system.workspace();
    const { body: one } = await crowded.session
      .post('/v1/users/invitations', { email: 'first@example.com', role: 'viewer' })
      .expect(201);
    await crowded.session.delete(`/v1/users/invitations/${one.id}`).expect(204);
    await db.query(
      `INSERT INTO identity.invitations (id, workspace_id, email, role, status, invited_by, created_at, sent_at, expires_at)
       SELECT id || n, workspace_id, 'n' || n || '@example.com', role, CASE WHEN n % 2 = 0 THEN 'revoked' ELSE 'pending' END, invited_by,
         created_at, sent_at, expires_at FROM identity.invitations, generate_series(1, 99) n WHERE id = $1`,
      [one.id],
    );
    const next = () =>
      crowded.session.post('/v1/users/invitations', { email: 'next@example.com', role: 'viewer' });
    expect((await next().expect(409)).body.code).toBe('invitation_limit_reached');
    await db.query(
      `UPDATE identity.invitations SET created_at = created_at - interval '2 days' WHERE id = $1`,
      [one.id],
    );
    await next().expect(201);
  });

  it('can be sent again after a minute, and be revoked', async () => {
    const { id, expiresAt } = await invite('later@example.com');
    const first = await tokenTo('later@example.com');
    const resend = () => workspace.session.post(`/v1/users/invitations/${id}/resend`);
    expect((await resend().expect(409)).body.code).toBe('invitation_just_sent');
    const twice = { email: 'later@example.com', role: 'admin' };
    const again = await workspace.session.post('/v1/users/invitations', twice).expect(409);
    expect(again.body.code).toBe('already_invited');
    await db.query(
      `UPDATE identity.invitations SET sent_at = sent_at - interval '8 days', expires_at = expires_at - interval '8 days' WHERE id = $1`,
      [id],
    );
    await accept(first).expect(401);
    const { body: list } = await workspace.session.get('/v1/users/invitations').expect(200);
    expect(list.data.at(-1)).toMatchObject({ id, status: 'expired' });
    const { body } = await resend().expect(200);
    expect(body).toMatchObject({ id, status: 'pending' });
    expect(Date.parse(body.expiresAt as string)).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    const second = await tokenTo('later@example.com');
    expect(second).not.toBe(first);
    await workspace.session.delete(`/v1/users/invitations/${id}`).expect(204);
    for (const token of [first, second]) await accept(token).expect(401);
    await workspace.session.delete(`/v1/users/invitations/${id}`).expect(404);
    expect((await resend().expect(409)).body.code).toBe('invitation_ended');
    expect(await actions(id)).toEqual(['invitation.created', 'invitation.resent', 'invitation.revoked']);
  });

  it('tells of a user of another workspace only the one who has the mail', async () => {
    const other = await system.workspace();
    await db.query('UPDATE identity.users SET address_proved_at = now() WHERE email = $1', [other.email]);
    await invite(other.email);
    const { body } = await accept(await tokenTo(other.email)).expect(409);
    expect(body.code).toBe('email_taken');
    await other.http.get('/v1/customers').expect(200);
  });

  it('takes the address from whoever registered it elsewhere and never proved it', async () => {
    const other = await system.workspace();
    await invite(other.email);
    const { body } = await accept(await tokenTo(other.email)).expect(201);
    expect(body.user).toMatchObject({ email: other.email, accountId: workspace.workspaceId });
    for (const client of [other.http, other.session]) await client.get('/v1/customers').expect(401);
  });

  it('leaves no address in the events', async () => {
    const recorded = await recordedEvents(system.node.url);
    const invited = recorded.filter(({ type }) => type === 'UserInvited');
    expect(invited.length).toBeGreaterThan(0);
    for (const { data } of invited) expect(JSON.stringify(data)).not.toContain('@');
  });
});

describe('the users of a workspace', () => {
  it('are listed, and changed by admins in a session alone', async () => {
    const { session, http } = await system.workspace();
    const viewer = await member('eyes@example.com', 'viewer', session);
    const { body } = await viewer.session.get('/v1/users?limit=1').expect(200);
    expect(body).toMatchObject({ data: [{ name: 'Test User', role: 'admin' }], hasMore: true });
    const { body: rest } = await http.get(`/v1/users?after=${body.next}`).expect(200);
    expect(rest).toMatchObject({ data: [{ id: viewer.id, email: 'eyes@example.com' }], hasMore: false });
    for (const refused of [
      viewer.session.patch(`/v1/users/${viewer.id}`, { role: 'admin' }),
      http.patch(`/v1/users/${viewer.id}`, { role: 'admin' }),
      viewer.session.post('/v1/users/invitations', { email: 'a@b.example', role: 'admin' }),
      http.post('/v1/users/invitations', { email: 'a@b.example', role: 'admin' }),
    ])
      await refused.expect(403);
    // A new role counts at once, in the session that is open.
    await viewer.session.get('/v1/api-keys').expect(403);
    const { body: promoted } = await session.patch(`/v1/users/${viewer.id}`, { role: 'admin' }).expect(200);
    expect(promoted).toMatchObject({ id: viewer.id, role: 'admin', status: 'active' });
    await viewer.session.get('/v1/api-keys').expect(200);
    await workspace.session.patch(`/v1/users/${viewer.id}`, { role: 'viewer' }).expect(404);
  });

  it('are locked out at once when they are deactivated, until they are active again', async () => {
    const { id, session, refreshToken } = await member('gone@example.com', 'developer');
    await login('gone@example.com');
    await anybody.post('/v1/auth/magic-link', { email: 'gone@example.com' }).expect(202);
    const link = /magic-link\/([\w-]{43})/.exec(textOf(await mail.next('gone@example.com')))![1]!;
    await workspace.session.patch(`/v1/users/${id}`, { status: 'deactivated' }).expect(200);
    await session.get('/v1/users/me').expect(401);
    await anybody.post('/v1/auth/refresh', { refreshToken }).expect(401);
    await anybody.post('/v1/auth/login', { email: 'gone@example.com', password }).expect(401);
    await workspace.session.patch(`/v1/users/${id}`, { status: 'active' }).expect(200);
    // The old sessions and links stay ended.
    await anybody.post('/v1/auth/magic-link/verify', { token: link }).expect(401);
    await session.get('/v1/users/me').expect(401);
    const anew = await login('gone@example.com');
    await anew.get('/v1/users/me').expect(200);
    expect(await actions(id)).toEqual([
      'user.registered',
      'user.signed_in',
      'user.signed_in',
      'user.deactivated',
      'user.session_revoked',
      'user.session_revoked',
      'user.reactivated',
      'user.signed_in',
    ]);
  });

  it('keep one active admin', async () => {
    const { session } = await system.workspace();
    const { body: me } = await session.get('/v1/users/me').expect(200);
    for (const changes of [{ role: 'viewer' }, { status: 'deactivated' }]) {
      const { body } = await session.patch(`/v1/users/${me.id}`, changes).expect(409);
      expect(body).toMatchObject({ code: 'last_admin', error: expect.stringContaining('Test User') });
    }
  });

  it.each([{ role: 'viewer' }, { status: 'deactivated' }])(
    'keep one when two admins do this to each other at once: %j',
    async (changes) => {
      const { session } = await system.workspace();
      const { body: first } = await session.get('/v1/users/me').expect(200);
      const second = await member(`second-${Object.keys(changes)[0]}@example.com`, 'admin', session);
      const holder = await db.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM identity.users WHERE id = ANY($1) FOR UPDATE', [
        [first.id, second.id],
      ]);
      const both = [
        session.patch(`/v1/users/${second.id}`, changes).then(),
        second.session.patch(`/v1/users/${first.id}`, changes).then(),
      ];
      await blocked(2);
      await holder.query('ROLLBACK');
      holder.release();
      const answers = await Promise.all(both);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const { rows } = await db.query(
        `SELECT count(*)::int FROM identity.users WHERE id = ANY($1) AND role = 'admin' AND status = 'active'`,
        [[first.id, second.id]],
      );
      expect(rows).toEqual([{ count: 1 }]);
    },
  );
});

describe('sessions', () => {
  it('are listed and ended by their user, one or all', async () => {
    const { email, session } = await system.workspace();
    const [second, third] = [await login(email), await login(email)];
    const list = async () =>
      (await session.get('/v1/users/me/sessions').expect(200)).body.data as {
        id: string;
        current: boolean;
      }[];
    const open = await list();
    expect(open.map(({ current }) => current)).toEqual([true, false, false]);
    const stranger = await system.workspace();
    await stranger.session.delete(`/v1/users/me/sessions/${open[1]!.id}`).expect(404);
    await session.delete(`/v1/users/me/sessions/${open[1]!.id}`).expect(204);
    await second.get('/v1/users/me').expect(401);
    await session.delete(`/v1/users/me/sessions/${open[1]!.id}`).expect(404);
    expect(await list()).toHaveLength(2);
    await session.delete('/v1/users/me/sessions').expect(204);
    for (const ended of [session, third]) await ended.get('/v1/users/me').expect(401);
    await stranger.session.get('/v1/users/me').expect(200);
  });
});
