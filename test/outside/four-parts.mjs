#!/usr/bin/env node
/**
 * Users, approvals, the customer portal and an erasure from the outside: plain HTTP against a running Countinghouse, nothing of its code.
 * The customer of it has a mailbox, an identity provider and a DNS zone of its own, which this program serves on loopback.
 *
 *   MAIL_URL=smtp://127.0.0.1:2525 MAIL_FROM=billing@example.com SSO_DNS_SERVERS=127.0.0.1:5353 npm start -- --no-demo
 *   node test/outside/four-parts.mjs http://127.0.0.1:3000 2525 5353
 *
 * The server must allow identity providers on loopback (`npm start` does). Prints each step; exits with 1 at the first that is not as it
 * should be.
 */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';

const [base = 'http://127.0.0.1:3000', smtpPort = '2525', dnsPort = '5353'] = process.argv.slice(2);
const unique = Date.now().toString(36);
const domain = `${unique}.example`;
const password = 'a long enough password';
const step = (text) => console.log(`ok  ${text}`);

async function call(method, path, { body, as, expect = [200, 201, 202, 204] } = {}) {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(as ? { authorization: `Bearer ${as}` } : {}),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const answer = type.includes('json') && text !== '' ? JSON.parse(text) : text;
  assert.ok([expect].flat().includes(response.status), `${method} ${path}: ${response.status} ${text}`);
  return answer;
}

/** A mailbox for every address, which keeps what came. */
const mails = [];
const mailbox = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  logger: false,
  onData(stream, session, done) {
    let raw = '';
    stream.on('data', (chunk) => (raw += chunk.toString()));
    stream.on('end', () => {
      const text = raw.replaceAll('=\r\n', '').replaceAll('\r\n', '\n').replaceAll('=3D', '=');
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
      mailbox.emit('mail');
      done();
    });
  },
});
mailbox.listen(Number(smtpPort), '127.0.0.1');
await once(mailbox.server, 'listening');

/** The next mail to an address that was not returned before. */
async function mailTo(address) {
  for (;;) {
    const at = mails.findIndex(({ to }) => to.includes(address));
    if (at >= 0) return mails.splice(at, 1)[0].text;
    await Promise.race([
      once(mailbox, 'mail'),
      new Promise((_, reject) =>
        setTimeout(reject, 20_000, new Error(`no mail to ${address} within 20 s`)).unref(),
      ),
    ]);
  }
}

/** A zone with TXT records, for resolvers that ask this program (RFC 1035). */
const records = new Map();
const zone = createSocket('udp4');
zone.on('message', (query, from) => {
  const labels = [];
  let end = 12;
  for (; query[end] > 0; end += query[end] + 1)
    labels.push(query.toString('latin1', end + 1, end + 1 + query[end]));
  const text = records.get(labels.join('.').toLowerCase());
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(text === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(text === undefined ? 0 : 1, 6);
  const answer = [];
  if (text !== undefined) {
    // The name as in the question, TXT, IN, one minute, and one string.
    const fixed = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, text.length + 1, text.length]);
    answer.push(fixed, Buffer.from(text));
  }
  zone.send(Buffer.concat([header, query.subarray(12, end + 5), ...answer]), from.port, from.address);
});
zone.bind(Number(dnsPort), '127.0.0.1');
await once(zone, 'listening');

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** An identity provider, `oidc-provider`, with a sign-in page. */
const redirectUri = `http://localhost:${await freePort()}/sso`;
const providerPort = await freePort();
const program = new URL('../support/programs/identity-provider.mjs', import.meta.url).pathname;
const provider = spawn(process.execPath, [program, String(providerPort), redirectUri], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
process.once('exit', () => provider.kill());
await once(provider.stdout, 'data');

/** Does what a browser does at the provider: follows, fills in the form, agrees. Returns the parameters of the redirect to the application. */
async function signInAtProvider(address, login) {
  const cookies = new Map();
  const visit = async (url, form) => {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    return response;
  };
  let response = await visit(address);
  for (let url = address; ;) {
    const location = response.headers.get('location');
    if (location) {
      url = new URL(location, url).href;
      if (url.startsWith(redirectUri)) return Object.fromEntries(new URL(url).searchParams);
      response = await visit(url);
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(page);
    assert.ok(action, `no form at ${url}: ${page}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)[1];
    url = new URL(action[1].replaceAll('&amp;', '&'), url).href;
    response = await visit(url, prompt === 'login' ? { prompt, login, password: 'any' } : { prompt });
  }
}

// Users.
const ada = `ada@${domain}`;
const { user, tokens } = await call('POST', '/v1/auth/register', {
  body: { email: ada, password, name: 'Ada', companyName: 'Engines Ltd' },
});
const admin = tokens.accessToken;
const { key } = await call('POST', '/v1/api-keys', { as: admin, body: { name: 'walk', role: 'admin' } });
await call('PUT', '/v1/sandbox/clock', { as: key, body: { now: '2026-01-01T00:00:00Z' } });
step('registered, with an API key');

const grace = `grace@${domain}`;
await call('POST', '/v1/users/invitations', { as: admin, body: { email: grace, role: 'finance' } });
const invitation = await mailTo(grace);
assert.match(invitation, /Subject: Ada invites you to Engines Ltd/);
const [, invitationToken] = /\/auth\/invitation\/([\w-]+)\n/.exec(invitation);
assert.match(await call('GET', `/auth/invitation/${invitationToken}`), /<form/);
const accept = { token: invitationToken, name: 'Grace', password };
const accepted = await call('POST', '/v1/auth/accept-invitation', { body: accept });
assert.deepEqual([accepted.user.accountId, accepted.user.role], [user.accountId, 'finance']);
await call('POST', '/v1/auth/accept-invitation', { body: accept, expect: [400, 401, 404, 409, 410] });
step('invited by mail; the link made one user');

await call('POST', '/v1/auth/magic-link', { body: { email: grace } });
const [, linkToken] = /\/auth\/magic-link\/([\w-]+)\n/.exec(await mailTo(grace));
const verified = await call('POST', '/v1/auth/magic-link/verify', { body: { token: linkToken } });
const finance = verified.tokens.accessToken;
await call('POST', '/v1/auth/magic-link/verify', { body: { token: linkToken }, expect: 401 });
assert.equal((await call('GET', '/v1/users', { as: finance })).data.length, 2);
step('signed in by a link, once');

const connection = await call('POST', '/v1/sso-connections', {
  as: admin,
  body: {
    name: 'Own provider',
    issuer: `http://localhost:${providerPort}`,
    clientId: 'countinghouse',
    clientSecret: 'secret of the client',
    domains: [domain],
    redirectUris: [redirectUri],
  },
});
const proof = `/v1/sso-connections/${connection.id}/domains/${domain}/verify`;
await call('POST', proof, { as: admin, expect: 409 });
const [{ record }] = connection.domains;
records.set(record.name, record.value);
await call('POST', proof, { as: admin });
const edith = `edith@${domain}`;
const begun = await call('POST', '/v1/auth/sso/start', { body: { email: edith, redirectUri } });
const returned = await signInAtProvider(begun.authorizationUrl, edith);
assert.equal(returned.state, begun.state);
const bySso = await call('POST', '/v1/auth/sso/exchange', { body: returned });
assert.deepEqual(
  [bySso.user.email, bySso.user.role, bySso.user.accountId],
  [edith, 'viewer', user.accountId],
);
await call('POST', '/v1/auth/sso/exchange', { body: returned, expect: 401 });
await call('POST', '/v1/customers', { as: bySso.tokens.accessToken, body: { name: 'x' }, expect: 403 });
step('domain proved by DNS; a third user signed in by the identity provider, who may only read');

const restricted = await call('POST', '/v1/api-keys', {
  as: admin,
  body: { name: 'reader', role: 'viewer', permissions: ['invoices:read'] },
});
await call('GET', '/v1/invoices', { as: restricted.key });
await call('GET', '/v1/customers', { as: restricted.key, expect: 403 });
await call('DELETE', `/v1/api-keys/${restricted.id}`, { as: admin });
await call('GET', '/v1/invoices', { as: restricted.key, expect: 401 });
step('an API key that may do one thing, until it was revoked');

// Approvals.
const now = (seconds) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
let seconds = 0;
/** Waits until all that is due was done. */
const settled = () => call('POST', '/v1/sandbox/clock/advance', { as: key, body: { to: now(++seconds) } });
const person = `Priscilla ${unique}`;
const customer = await call('POST', '/v1/customers', {
  as: key,
  body: { name: person, email: `priscilla@${domain}`, currency: 'USD' },
});
const invoiceOf = (unitPrice) =>
  call('POST', '/v1/invoices', {
    as: key,
    body: { customerId: customer.id, currency: 'USD', lines: [{ description: 'Work', unitPrice }] },
  });
const [wrong, right] = [await invoiceOf(200), await invoiceOf(50)];
await settled();
await call('PUT', '/v1/approvals/policies/invoice.void', {
  as: admin,
  body: { enabled: true, thresholdAmount: 100, thresholdCurrency: 'USD' },
});
const reason = `${person} was billed twice`;
const request = await call('POST', `/v1/invoices/${wrong.id}/void`, {
  as: key,
  body: { reason },
  expect: 202,
});
assert.deepEqual([request.status, request.amount], ['pending', 200]);
const asking = await mailTo(grace);
assert.match(asking, /Subject: Approval needed in Engines Ltd: Void an invoice, 200\.00 USD/);
assert.ok(!asking.includes(person));
const approval = /send POST \S+?(\/v1\/approvals\/\w+)\/approve\s/.exec(asking)[1];
assert.equal(approval, `/v1/approvals/${request.id}`);
await call('POST', `${approval}/approve`, { as: admin, body: {}, expect: 403 });
await call('POST', `${approval}/approve`, { as: bySso.tokens.accessToken, body: {}, expect: 403 });
await call('POST', `${approval}/approve`, { as: finance, body: { note: 'Yes' } });
await call('POST', `${approval}/reject`, { as: finance, body: {}, expect: 409 });
await settled();
assert.equal((await call('GET', approval, { as: key })).status, 'executed');
assert.equal((await call('GET', `/v1/invoices/${wrong.id}`, { as: key })).status, 'void');
assert.ok(!mails.some(({ to }) => to.includes(ada) || to.includes(edith)));
step('a void waited for the second person, who had mail and approved; nobody else had mail');

// The customer portal.
const portal = await call('POST', '/v1/portal/sessions', { as: key, body: { customerId: customer.id } });
const own = { as: portal.token };
assert.equal((await call('GET', '/v1/portal/me', own)).name, person);
const open = (await call('GET', '/v1/portal/invoices?status=open', own)).data;
assert.deepEqual(
  open.map(({ id }) => id),
  [right.id],
);
assert.match(await call('GET', new URL(open[0].pageUrl).pathname), /50\.00/);
await call('POST', '/v1/portal/payment-methods', {
  ...own,
  body: { type: 'test', test: 'pm_card_visa' },
});
assert.equal((await call('GET', '/v1/portal/payment-methods', own)).data.length, 1);
await call('GET', '/v1/customers', { ...own, expect: 403 });
await call('GET', '/v1/portal/me', { as: key, expect: 403 });
await call('POST', `/v1/invoices/${right.id}/pay`, { as: key });
const seen = (await call('GET', '/v1/portal/invoices', own)).data.find(({ id }) => id === right.id);
assert.deepEqual([seen.status, seen.total], ['paid', 50]);
step('the customer saw an invoice in the portal, added a card, and saw the invoice paid');

// The erasure.
const erasing = { as: key, body: { reason: 'Ticket 4711', force: true } };
await call('POST', `/v1/customers/${customer.id}/erase`, { ...erasing, as: finance, expect: 403 });
let erasure = await call('POST', `/v1/customers/${customer.id}/erase`, erasing);
for (const deadline = Date.now() + 60_000; erasure.status !== 'completed'; await settled()) {
  assert.ok(Date.now() < deadline, `the erasure is not completed: ${JSON.stringify(erasure)}`);
  erasure = await call('POST', `/v1/customers/${customer.id}/erase`, erasing);
}
await call('GET', `/v1/customers/${customer.id}`, { as: key, expect: 404 });
await call('GET', '/v1/portal/me', { ...own, expect: 401 });
const kept = await call('GET', `/v1/invoices/${right.id}`, { as: key });
assert.deepEqual([kept.number, kept.status, kept.total], [seen.number, 'paid', 50]);
const page = new URL(open[0].pageUrl).pathname;
for (const path of [`/v1/invoices/${wrong.id}`, approval, '/v1/audit?limit=100', '/v1/customers', page])
  assert.ok(!JSON.stringify(await call('GET', path, { as: admin })).includes(person), path);
step('the customer was erased: invoices keep their amounts, and nothing names the person');

mailbox.close();
zone.close();
provider.kill();
console.log('The four parts hold.');
