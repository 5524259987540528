import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import type { Browser } from 'puppeteer-core';
import { SsoConnections } from '#libs/contexts/identity';
import { addUser } from '../../../test/support/second-user.js';
import { launchBrowser, newPage } from '../../../test/support/browser.js';
import { DnsServer } from '../../../test/support/dns-server.js';
import { MailServer, textOf } from '../../../test/support/mail-server.js';
import { Receiver } from '../../../test/support/receiver.js';
import { IdentityProvider } from '../../../test/support/identity-provider.js';
import {
  clientOf,
  createPool,
  requestsOf,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';

let system: System;
let workspace: TestWorkspace;
let anybody: Client;
let db: pg.Pool;
let dns: DnsServer;
let mail: MailServer;
let browser: Browser;
/** The application to which providers send users back. */
let app: Receiver;
let provider: IdentityProvider;
let connectionId: string;
const { get, post, create, remove } = requestsOf(() => workspace);

const password = 'correct horse battery staple';
/** The terms of a connection to the provider. */
const terms = (more: object = {}) => ({
  name: 'Provider',
  issuer: provider.issuer,
  clientId: 'countinghouse',
  clientSecret: 'secret of the client',
  domains: ['example.com'],
  redirectUris: [redirectUri()],
  ...more,
});
const redirectUri = () => `http://localhost:${app.port}/sso`;
const start = async (choice: object = { email: 'ada@example.com' }) =>
  (await anybody.post('/v1/auth/sso/start', { ...choice, redirectUri: redirectUri() }).expect(200)).body as {
    authorizationUrl: string;
    state: string;
  };
const exchange = (redirect: object) => anybody.post('/v1/auth/sso/exchange', redirect);
const change = async (changes: object) =>
  (await workspace.http.patch(`/v1/sso-connections/${connectionId}`, changes).expect(200)).body;
const login = (email: string, given = password) => anybody.post('/v1/auth/login', { email, password: given });

const invite = async (email: string, role: string) =>
  (await workspace.session.post('/v1/users/invitations', { email, role }).expect(201)).body as { id: string };
/** The token of the link in the next mail to this address. */
const invitationTo = async (email: string): Promise<string> =>
  /auth\/invitation\/([\w-]{43})/.exec(textOf(await mail.next(email)))![1]!;
const accept = (token: string) =>
  anybody.post('/v1/auth/accept-invitation', { token, name: 'Ada', password });

/** Signs a user in at the provider, in a browser without cookies. Returns the parameters of the redirect. */
async function signIn(authorizationUrl: string, name: string): Promise<Record<string, string>> {
  const context = await browser.createBrowserContext();
  const page = await newPage(context);
  await page.goto(authorizationUrl);
  // The provider fills in the address that the sign-in was begun with. Nobody can type some of the names.
  await page.evaluate(`document.querySelector('input[name=login]').value = ${JSON.stringify(name)}`);
  await page.type('input[name=password]', 'any');
  await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
  // The provider asks whether the application may know the address.
  await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
  const url = new URL(page.url());
  expect(url.origin + url.pathname).toBe(redirectUri());
  await context.close();
  return Object.fromEntries(url.searchParams);
}

/** Signs a user in from start to end. */
async function signInBy(name: string, choice?: object) {
  const redirect = await signIn((await start(choice)).authorizationUrl, name);
  return { expect: (status: number) => exchange(redirect).expect(status) };
}

beforeAll(async () => {
  dns = await DnsServer.start();
  mail = await MailServer.start();
  system = await startSystem({
    SSO_DNS_SERVERS: dns.address,
    MAIL_URL: mail.url,
    MAIL_FROM: 'b@example.com',
  });
  workspace = await system.workspace();
  anybody = clientOf(system.url);
  db = createPool(system.database);
  app = await Receiver.start();
  provider = await IdentityProvider.start(redirectUri());
  browser = await launchBrowser();
  const connection = await create('/v1/sso-connections', terms());
  connectionId = connection.id;
  const [{ record }] = connection.domains;
  dns.records.set(record.name, record.value);
});
afterAll(async () => {
  await browser?.close();
  await provider?.stop();
  await app?.close();
  await db?.end();
  await system?.stop();
  await mail?.close();
  await dns?.stop();
});

describe('an SSO connection', () => {
  it('shows all but its secret, and has an effect when its domain is verified', async () => {
    const shown = await get(`/v1/sso-connections/${connectionId}`);
    expect(shown).toMatchObject({
      issuer: provider.issuer,
      defaultRole: 'viewer',
      createUsers: true,
      required: false,
      domains: [{ domain: 'example.com', verifiedAt: null, record: { name: '_countinghouse.example.com' } }],
    });
    expect(JSON.stringify(shown)).not.toContain('secret of the client');
    const { rows } = await db.query('SELECT client_secret AS secret FROM identity.sso_connections');
    expect(rows[0].secret).not.toContain('secret of the client');
    const early = await anybody.post('/v1/auth/sso/start', {
      email: 'ada@example.com',
      redirectUri: redirectUri(),
    });
    expect([early.status, early.body.code]).toEqual([404, 'sso_connection_not_found']);

    const other = await system.workspace();
    const { body: theirs } = await other.http.post('/v1/sso-connections', terms()).expect(201);
    const unproved = await other.http.post(`/v1/sso-connections/${theirs.id}/domains/example.com/verify`);
    expect([unproved.status, unproved.body.code]).toEqual([409, 'domain_not_proved']);
    expect(unproved.body.error).toContain(theirs.domains[0].record.value);

    const verified = await post(`/v1/sso-connections/${connectionId}/domains/EXAMPLE.com/verify`, {}, 200);
    expect(verified.domains[0].verifiedAt).toEqual(expect.any(String));
    dns.records.set('_countinghouse.example.com', theirs.domains[0].record.value);
    const taken = await other.http.post(`/v1/sso-connections/${theirs.id}/domains/example.com/verify`);
    expect([taken.status, taken.body.code]).toEqual([409, 'domain_taken']);
    await other.http.get(`/v1/sso-connections/${connectionId}`).expect(404);
    await other.http.delete(`/v1/sso-connections/${connectionId}`).expect(404);
  });

  it.each([
    ['issuer', { issuer: 'http://169.254.169.254' }],
    ['issuer', { issuer: 'ftp://example.com' }],
    ['domains[0]', { domains: ['a b'] }],
    ['domains[0]', { domains: ['localhost'] }],
    ['domains', { domains: [] }],
    ['redirectUris[0]', { redirectUris: ['http://app.example.com/sso'] }],
    ['redirectUris[0]', { redirectUris: ['https://app.example.com/sso?x=1'] }],
    ['redirectUris[0]', { redirectUris: ['javascript:alert(1)'] }],
    ['defaultRole', { defaultRole: 'owner' }],
  ])('refuses a wrong %s: %j', async (field, wrong) => {
    const { details } = await post('/v1/sso-connections', terms(wrong), 400);
    expect(details[0].field.replace(/\[\d\]$/, '')).toBe(field.replace(/\[\d\]$/, ''));
  });
});

describe('an API key that is restricted or expires', () => {
  it.each([{ permissions: ['sso_connections:write'] }, { expiresAt: '2999-01-01T00:00:00Z' }])(
    'sets no connection, which could lead beyond the key: %j',
    async (limits) => {
      const made = { name: 'x', role: 'admin', ...limits };
      const { body } = await workspace.session.post('/v1/api-keys', made).expect(201);
      const client = clientOf(system.url, { 'x-api-key': (body as { key: string }).key });
      for (const refused of [
        await client.post('/v1/sso-connections', terms({ defaultRole: 'admin' })).expect(403),
        await client.patch(`/v1/sso-connections/${connectionId}`, { defaultRole: 'admin' }).expect(403),
        await client.delete(`/v1/sso-connections/${connectionId}`).expect(403),
      ])
        expect(refused.body.code).toBe('unlimited_credential_required');
    },
  );
});

describe('another issuer of a connection', () => {
  it('ends what the subjects of the earlier provider stood for', async () => {
    const { id } = await create('/v1/sso-connections', terms({ domains: ['example.net'] }));
    await db.query(
      `INSERT INTO identity.sso_users (connection_id, subject, user_id)
       SELECT $1, '1', id FROM identity.users WHERE workspace_id = $2`,
      [id, workspace.workspaceId],
    );
    const known = async () =>
      (await db.query('SELECT subject FROM identity.sso_users WHERE connection_id = $1', [id])).rowCount;
    await workspace.http.patch(`/v1/sso-connections/${id}`, { name: 'Renamed' }).expect(200);
    expect(await known()).toBe(1);
    await workspace.http
      .patch(`/v1/sso-connections/${id}`, { issuer: 'https://login.example.net' })
      .expect(200);
    expect(await known()).toBe(0);
  });
});

describe('single sign-on', () => {
  it('creates a user at the first sign-in, and finds them at the second', async () => {
    const { body: first } = await (await signInBy('ada')).expect(200);
    expect(first.user).toMatchObject({
      email: 'ada@example.com',
      name: 'The user ada',
      role: 'viewer',
      status: 'active',
      accountId: workspace.workspaceId,
    });
    const me = clientOf(system.url, { authorization: `Bearer ${first.tokens.accessToken}` });
    await me.get('/v1/users/me').expect(200, first.user);
    const { body: second } = await (await signInBy('ada', { connectionId })).expect(200);
    expect(second.user).toEqual(first.user);
    await anybody.post('/v1/auth/refresh', { refreshToken: second.tokens.refreshToken }).expect(200);
    // The user has no password.
    await login('ada@example.com', '').expect(400);
    await login('ada@example.com').expect(401);
    const { body: audit } = await workspace.session
      .get('/v1/audit?action=user.signed_in&limit=1')
      .expect(200);
    expect(audit.data[0]).toMatchObject({ resourceId: first.user.id, data: { method: 'sso' } });
  });

  it('goes on for a user who is known, also when the address changes at the provider', async () => {
    const { id } = (await (await signInBy('ada')).expect(200)).body.user;
    await db.query(`UPDATE identity.users SET email = 'ada.king@example.com' WHERE id = $1`, [id]);
    const { user } = (await (await signInBy('ada')).expect(200)).body;
    expect(user).toMatchObject({ id, email: 'ada.king@example.com' });
    await db.query(`UPDATE identity.users SET email = 'ada@example.com' WHERE id = $1`, [id]);
  });

  it('refuses users who are unknown where none are created, and those whose address proves nothing', async () => {
    const refused = async (name: string) => (await (await signInBy(name)).expect(403)).body.code;
    expect(await refused('unverified')).toBe('sso_email_unverified');
    expect(await refused('eve@example.org')).toBe('sso_domain_not_verified');
    // The domain of this address would be read as example.com, if it were a URL.
    expect(await refused('eve@example.com/x')).toBe('sso_email_invalid');
    expect(await refused('ada\u200b@example.com')).toBe('sso_email_invalid');
    await change({ createUsers: false });
    expect(await refused('grace')).toBe('sso_user_unknown');
    await (await signInBy('ada')).expect(200);
    await change({ createUsers: true, defaultRole: 'finance' });
    expect((await (await signInBy('grace')).expect(200)).body.user.role).toBe('finance');
    await db.query(`UPDATE identity.users SET status = 'deactivated' WHERE email = 'grace@example.com'`);
    expect(await refused('grace')).toBe('user_deactivated');
  });

  it('accepts the pending invitation of the address, with its role, also where no users are created', async () => {
    const { id } = await invite('hopper@example.com', 'developer');
    const token = await invitationTo('hopper@example.com');
    await change({ createUsers: false });
    const { user } = (await (await signInBy('hopper')).expect(200)).body;
    await change({ createUsers: true });
    expect(user).toMatchObject({ email: 'hopper@example.com', role: 'developer' });
    const { body: list } = await workspace.session.get('/v1/users/invitations').expect(200);
    expect(list.data[0]).toMatchObject({ id, status: 'accepted', userId: user.id });
    const { body: audit } = await workspace.session.get(`/v1/audit?resourceId=${id}`).expect(200);
    expect(audit.data[0].action).toBe('invitation.accepted');
    await accept(token).expect(401);
    expect((await (await signInBy('hopper')).expect(200)).body.user).toEqual(user);
  });

  it('gives the role of the connection where the invitation has ended', async () => {
    const { id } = await invite('late@example.com', 'admin');
    await db.query(`UPDATE identity.invitations SET expires_at = now() WHERE id = $1`, [id]);
    const { role } = (await (await signInBy('late')).expect(200)).body.user;
    expect(role).toBe('finance');
  });

  it('takes no user of another workspace who has proved the address', async () => {
    const body = { email: 'taken@example.com', password, name: 'Taken' };
    await anybody.post('/v1/auth/register', body).expect(201);
    await db.query(`UPDATE identity.users SET address_proved_at = now() WHERE email = 'taken@example.com'`);
    expect((await (await signInBy('taken')).expect(409)).body.code).toBe('email_taken');
  });

  it('takes the address of a user of another workspace who has not proved it, and ends all access of this user', async () => {
    const body = { email: 'squat@example.com', password, name: 'Squatter' };
    const registered = (await anybody.post('/v1/auth/register', body).expect(201)).body;
    const session = clientOf(system.url, { authorization: `Bearer ${registered.tokens.accessToken}` });
    const made = await session.post('/v1/api-keys', { name: 'k', role: 'admin' }).expect(201);
    const key = clientOf(system.url, { 'x-api-key': (made.body as { key: string }).key });
    await key.get('/v1/customers').expect(200);
    const { user } = (await (await signInBy('squat')).expect(200)).body;
    expect(user).toMatchObject({ email: 'squat@example.com', accountId: workspace.workspaceId });
    await key.get('/v1/customers').expect(401);
    await session.get('/v1/customers').expect(401);
    await anybody.post('/v1/auth/login', { email: body.email, password }).expect(401);
    const refresh = { refreshToken: registered.tokens.refreshToken };
    await anybody.post('/v1/auth/refresh', refresh).expect(401);
    expect((await (await signInBy('squat')).expect(200)).body.user).toEqual(user);
  });

  it('can be completed once, within ten minutes', async () => {
    const { authorizationUrl, state } = await start();
    const redirect = await signIn(authorizationUrl, 'ada');
    await exchange(redirect).expect(200);
    const again = await exchange(redirect).expect(401);
    expect(again.body.code).toBe('sso_state_invalid');
    // The code is spent at the provider too, and belongs to another sign-in.
    const other = await exchange({ ...redirect, state: (await start()).state }).expect(401);
    expect(other.body).toMatchObject({ code: 'sso_failed', error: expect.stringContaining('invalid_grant') });
    const { authorizationUrl: late } = await start();
    const tooLate = await signIn(late, 'ada');
    await db.query(`UPDATE identity.sso_sign_ins SET expires_at = now() WHERE state_hash <> $1`, [
      Buffer.from(state),
    ]);
    expect((await exchange(tooLate).expect(401)).body.code).toBe('sso_state_invalid');
  });

  it('of two exchanges at once succeeds for one', async () => {
    const redirect = await signIn((await start()).authorizationUrl, 'ada');
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(redirect)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 401),
    ]);
  });

  it('refuses an ID token that was made for another sign-in', async () => {
    const { authorizationUrl } = await start();
    const changed = new URL(authorizationUrl);
    changed.searchParams.set('nonce', 'another');
    const { body } = await exchange(await signIn(changed.href, 'ada')).expect(401);
    expect(body).toMatchObject({ code: 'sso_failed', error: expect.stringContaining('nonce') });
  });

  it.each([
    ['with a NUL', 'nul\0'],
    ['of 256 characters', 'a'.repeat(256)],
  ])('refuses an ID token with a subject %s', async (_, name) => {
    const { body } = await (await signInBy(name)).expect(401);
    expect(body).toMatchObject({ code: 'sso_failed', error: expect.stringContaining('subject') });
  });

  it('takes a subject of 255 characters', async () => {
    await (await signInBy('c'.repeat(255))).expect(200);
  });

  it('refuses a code of another provider (mix-up)', async () => {
    const second = await IdentityProvider.start(redirectUri());
    try {
      const { id } = await create('/v1/sso-connections', terms({ issuer: second.issuer }));
      // The user is led to the first provider, with the state of the second one.
      const { state } = await start({ connectionId: id });
      const url = new URL((await start()).authorizationUrl);
      url.searchParams.set('state', state);
      const redirect = await signIn(url.href, 'ada');
      expect(redirect['iss']).toBe(provider.issuer);
      const { body } = await exchange(redirect).expect(401);
      expect(body).toMatchObject({ code: 'sso_failed', error: expect.stringContaining('iss') });
      const { iss: _, ...without } = await signIn((await start()).authorizationUrl, 'ada');
      expect((await exchange(without).expect(401)).body.code).toBe('sso_failed');
      await remove(`/v1/sso-connections/${id}`);
    } finally {
      await second.stop();
    }
  });

  it('begins only with a redirect URI of the connection, and one way to find it', async () => {
    const refused = async (body: object, status = 400) =>
      (await anybody.post('/v1/auth/sso/start', body).expect(status)).body;
    const email = 'ada@example.com';
    const evil = { email, redirectUri: `${redirectUri()}/evil` };
    expect(await refused(evil)).toMatchObject({ details: [{ field: 'redirectUri' }] });
    expect(await refused({ redirectUri: redirectUri() })).toMatchObject({ details: [{ field: 'email' }] });
    const unknown = { connectionId: 'sso_unknown', redirectUri: redirectUri() };
    expect((await refused(unknown, 404)).code).toBe('sso_connection_not_found');
  });

  it('says that the provider does not answer, or is none', async () => {
    const ask = async (issuer: string) => {
      const { id } = await create('/v1/sso-connections', terms({ issuer }));
      const body = { connectionId: id, redirectUri: redirectUri() };
      const answer = await anybody.post('/v1/auth/sso/start', body).expect(503);
      await remove(`/v1/sso-connections/${id}`);
      return answer.body;
    };
    expect(await ask('http://localhost:1')).toMatchObject({
      code: 'identity_provider_unavailable',
      error: expect.stringContaining('http://localhost:1'),
    });
    app.answer = (_, response) =>
      response.setHeader('content-type', 'application/json').end('{"issuer": "x"}');
    expect((await ask(`http://localhost:${app.port}`)).code).toBe('identity_provider_unavailable');
    app.answer = (_, response) => response.end('ok');
    // The address is resolved when the connection is opened, and is private.
    expect((await ask('https://localtest.invalid')).code).toBe('identity_provider_unavailable');
  });
});

describe('required single sign-on', () => {
  it('refuses the repeated registration of a user too, which would sign in by a password', async () => {
    const registration = { email: 'ada@founders.example', password, name: 'Ada', companyName: 'Engines Ltd' };
    const register = () => anybody.post('/v1/auth/register', registration).set('Idempotency-Key', 'founders');
    const { tokens } = (await register().expect(201)).body as { tokens: { accessToken: string } };
    const founder = clientOf(system.url, { authorization: `Bearer ${tokens.accessToken}` });
    const domains = ['founders.example'];
    const { body } = await founder.post('/v1/sso-connections', terms({ domains })).expect(201);
    const path = `/v1/sso-connections/${body.id}`;
    dns.records.set(body.domains[0].record.name, body.domains[0].record.value);
    await founder.post(`${path}/domains/founders.example/verify`).expect(200);
    await register().expect(201);
    await founder.patch(path, { required: true }).expect(200);
    expect((await register().expect(403)).body.code).toBe('sso_required');
  });

  it('ends sessions that began without it, when they are refreshed', async () => {
    const tokensOf = (body: { tokens: { accessToken: string; refreshToken: string } }) => body.tokens;
    const refresh = (refreshToken: string) => anybody.post('/v1/auth/refresh', { refreshToken });
    await invite('kay@example.com', 'viewer');
    const { body: accepted } = await accept(await invitationTo('kay@example.com')).expect(201);
    const byInvitation = tokensOf(accepted);
    const byPassword = tokensOf((await login('kay@example.com').expect(200)).body);
    const elsewhere = tokensOf((await login('taken@example.com').expect(200)).body);
    const bySso = tokensOf((await (await signInBy('kay')).expect(200)).body);
    await change({ required: true });
    for (const { refreshToken, accessToken } of [byInvitation, byPassword]) {
      const me = clientOf(system.url, { authorization: `Bearer ${accessToken}` });
      await me.get('/v1/users/me').expect(200);
      expect((await refresh(refreshToken).expect(403)).body.code).toBe('sso_required');
      await me.get('/v1/users/me').expect(401);
      expect((await refresh(refreshToken).expect(401)).body.code).toBe('invalid_refresh_token');
    }
    await refresh(bySso.refreshToken).expect(200);
    await refresh(elsewhere.refreshToken).expect(200);
    const { body: audit } = await workspace.session
      .get('/v1/audit?action=user.session_revoked&limit=1')
      .expect(200);
    expect(audit.data[0].data).toMatchObject({ reason: 'sso_required' });
    await change({ required: false });
  });

  it('ends no session whose connection cannot be read, and refreshes it afterwards', async () => {
    await invite('mary@example.com', 'viewer');
    const { body } = await accept(await invitationTo('mary@example.com')).expect(201);
    const { refreshToken } = (body as { tokens: { refreshToken: string } }).tokens;
    const lost = new Error('Connection terminated unexpectedly');
    const reads = jest.spyOn(system.api.get(SsoConnections, { strict: false }), 'findByEmail');
    reads.mockRejectedValueOnce(lost);
    await anybody.post('/v1/auth/refresh', { refreshToken }).expect(503);
    reads.mockRestore();
    await anybody.post('/v1/auth/refresh', { refreshToken }).expect(200);
  });

  it('refuses the passwords of the domain, whether the user exists or not, and no others', async () => {
    await db.query(
      `UPDATE identity.users SET password_hash = (SELECT password_hash FROM identity.users WHERE email = $1)
      WHERE email = 'ada@example.com'`,
      ['taken@example.com'],
    );
    await login('ada@example.com').expect(200);
    await change({ required: true });
    for (const email of ['ada@example.com', 'nobody@example.com'])
      for (const given of [password, 'wrong password'])
        expect((await login(email, given).expect(403)).body.code).toBe('sso_required');
    // The user of another workspace has an address of the domain.
    await login('taken@example.com').expect(200);
    // A wrong password gets the same answer. Otherwise it would tell that somebody has the address.
    expect((await login('taken@example.com', 'wrong password').expect(403)).body.code).toBe('sso_required');
    await login('nobody@example.org').expect(401);
    // The page of an invitation would let the user in with a password.
    await invite('lovelace@example.com', 'admin');
    const token = await invitationTo('lovelace@example.com');
    const refused = await accept(token);
    expect([refused.status, refused.body.code]).toEqual([403, 'sso_required']);
    const form = `name=Ada&password=${encodeURIComponent(password)}`;
    const page = await anybody.post(`/auth/invitation/${token}`).type('form').send(form).expect(403);
    expect(page.text).toContain('<h1>Use single sign-on</h1>');
    expect((await (await signInBy('lovelace')).expect(200)).body.user.role).toBe('admin');
    await (await signInBy('ada')).expect(200);
    await change({ required: false });
    await login('ada@example.com').expect(200);
  });
});

describe('the first single sign-on of a user of the workspace who never proved the address', () => {
  it('ends the password, the sessions and the keys that the registration left', async () => {
    const { session, userId } = await addUser(system, workspace, 'admin');
    const made = await session.post('/v1/api-keys', { name: 'k', role: 'admin' }).expect(201);
    const key = clientOf(system.url, { 'x-api-key': (made.body as { key: string }).key });
    const [name] = workspace.email.split('@');
    const { body } = await (await signInBy(`${name}-admin@example.com`)).expect(200);
    expect(body.user).toMatchObject({ id: userId, accountId: workspace.workspaceId });
    for (const former of [session, key]) await former.get('/v1/customers').expect(401);
    await login(`${name}-admin@example.com`, workspace.password).expect(401);
    // The second sign-on ends nothing.
    const own = clientOf(system.url, { authorization: `Bearer ${body.tokens.accessToken}` });
    await (await signInBy(`${name}-admin@example.com`)).expect(200);
    await own.get('/v1/customers').expect(200);
    // The other tests go on with the first key of the workspace.
    await db.query(`UPDATE identity.api_keys SET revoked_at = NULL WHERE workspace_id = $1 AND name <> 'k'`, [
      workspace.workspaceId,
    ]);
  });
});

describe('a deleted connection', () => {
  it('leaves its users, and nobody can sign in by it', async () => {
    const { authorizationUrl } = await start();
    const redirect = await signIn(authorizationUrl, 'ada');
    await remove(`/v1/sso-connections/${connectionId}`);
    expect((await exchange(redirect).expect(401)).body.code).toBe('sso_state_invalid');
    await get(`/v1/sso-connections/${connectionId}`, 404);
    await login('ada@example.com').expect(200);
    const { body } = await workspace.session.get(`/v1/audit?resourceId=${connectionId}`).expect(200);
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      'sso_connection.deleted',
      ...Array.from({ length: 8 }, () => 'sso_connection.updated'),
      'sso_connection.domain_verified',
      'sso_connection.created',
    ]);
  });
});
