#!/usr/bin/env node
/**
 * The main flow from the outside: plain HTTP against a running Countinghouse, nothing of its code. A
 * subscription, usage, an invoice, a declined card and a good one, and a webhook whose signature is checked by
 * `openssl`, or by WebCrypto where there is none.
 *
 *   node test/outside/main-flow.mjs http://127.0.0.1:3000
 *
 * The server must allow webhooks to loopback (`npm start` does). Prints each step; exits with 1 at the first
 * that is not as it should be.
 */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { strict as assert } from 'node:assert';
import { once } from 'node:events';

const base = process.argv[2] ?? 'http://127.0.0.1:3000';
const day = 24 * 3_600_000;

const headers = { 'content-type': 'application/json' };
async function call(method, path, { body, as, expect = [200, 201, 204] } = {}) {
  const response = await fetch(base + path, {
    method,
    headers: { ...headers, ...(as ? { authorization: `Bearer ${as}` } : {}) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const answer = type.includes('json') && text !== '' ? JSON.parse(text) : text;
  assert.ok([expect].flat().includes(response.status), `${method} ${path}: ${response.status} ${text}`);
  return answer;
}
const step = (text) => console.log(`ok  ${text}`);

/** A receiver of webhooks that keeps what came, byte by byte. */
const received = [];
const receiver = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(200).end();
    receiver.emit('delivery');
  });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');

async function delivered(event) {
  for (;;) {
    const found = received.find(({ headers: got }) => got['x-service-event'] === event);
    if (found) return found;
    await Promise.race([
      once(receiver, 'delivery'),
      new Promise((_, reject) =>
        setTimeout(reject, 20_000, new Error(`no ${event} webhook within 20 s`)).unref(),
      ),
    ]);
  }
}

async function signatureOf(secret, timestamp, body) {
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
  try {
    const out = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-hex'], { input: signed });
    return { by: 'openssl', hex: out.toString().trim().split(/\s+/).at(-1) };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    const key = await crypto.subtle.importKey(
      'raw',
      Buffer.from(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    );
    return {
      by: 'WebCrypto',
      hex: Buffer.from(await crypto.subtle.sign('HMAC', key, signed)).toString('hex'),
    };
  }
}

const unique = Date.now().toString(36);
const { user, tokens } = await call('POST', '/v1/auth/register', {
  body: {
    email: `flow-${unique}@example.com`,
    password: 'a long enough password',
    name: 'Flow',
    companyName: 'Flow Inc',
  },
});
assert.match(user.accountId, /^acc_/);
const session = tokens.accessToken;
const { key } = await call('POST', '/v1/api-keys', { as: session, body: { name: 'flow', role: 'admin' } });
assert.match(key, /^svc_/);
step('registered, with an API key');

const webhook = await call('POST', '/v1/webhooks', {
  as: session,
  body: {
    url: `http://127.0.0.1:${receiver.address().port}/hooks`,
    events: ['subscription.created', 'invoice.created', 'invoice.paid', 'invoice.payment_failed'],
  },
});
assert.match(webhook.secret, /^whsec_/);
await call('PUT', '/v1/sandbox/clock', { as: key, body: { now: '2026-01-31T00:00:00Z' } });
// Otherwise the good card would be charged automatically, before this client pays.
await call('PUT', '/v1/payment-retry/settings', { as: key, body: { enabled: false } });
const customer = await call('POST', '/v1/customers', {
  as: key,
  body: { name: 'Northwind Ltd', currency: 'USD' },
});
const declined = await call('POST', `/v1/customers/${customer.id}/payment-methods`, {
  as: key,
  body: { type: 'test', test: 'pm_card_chargeDeclined' },
});
step('webhook endpoint, clock at 31 January, customer with a card that declines');

const metric = await call('POST', '/v1/metrics', {
  as: key,
  body: { name: 'api.call', aggregation: { type: 'sum', property: 'units' } },
});
const usagePrice = await call('POST', '/v1/prices', {
  as: key,
  body: {
    name: 'API units',
    metricId: metric.id,
    cadence: 'usage_based',
    config: { model: 'unit', unitPrice: 0.0025, currency: 'USD' },
  },
});
const feePrice = await call('POST', '/v1/prices', {
  as: key,
  body: {
    name: 'Platform fee',
    config: { model: 'flat', amount: 20, currency: 'USD' },
    timing: 'in_advance',
  },
});
const plan = await call('POST', '/v1/plans', {
  as: key,
  body: { name: 'Pro', prices: [{ priceId: usagePrice.id }, feePrice.id] },
});
const subscription = await call('POST', '/v1/subscriptions', {
  as: key,
  body: { customerId: customer.id, planId: plan.id },
});
assert.equal(subscription.status, 'active');
await delivered('subscription.created');
step('plan with a fee in advance and a metered price; subscribed');

await call('POST', '/v1/sandbox/clock/advance', { as: key, body: { to: '2026-01-31T12:00:00Z' } });
const start = Date.parse('2026-01-31T01:00:00Z');
const events = Array.from({ length: 500 }, (_, n) => ({
  customerId: customer.id,
  eventName: 'api.call',
  timestamp: new Date(start + n * 60_000).toISOString(),
  idempotencyKey: `call-${n}`,
  properties: { units: 3 },
}));
const bad = { customerId: 'nobody', eventName: 'api.call' };
const first = await call('POST', '/v1/events', { as: key, body: { events: [...events, bad] } });
assert.equal(first.accepted.length, 500);
assert.equal(first.rejected.length, 1);
const again = await call('POST', '/v1/events', { as: key, body: events });
assert.deepEqual(again.accepted, first.accepted);
step('500 usage events stored once although sent twice; one rejected with its reason');

await call('POST', '/v1/sandbox/clock/advance', { as: key, body: { to: '2026-02-28T01:00:00Z' } });
const { data: invoices, pagination } = await call('GET', `/v1/invoices?customer_id=${customer.id}`, {
  as: key,
});
assert.equal(pagination.total, 2);
const invoice = invoices.find(({ total }) => total === 23.75);
assert.ok(invoice, `an invoice of 20.00 + 1,500 × 0.0025 = 23.75, not ${invoices.map(({ total }) => total)}`);
assert.equal(invoice.status, 'open');
const usageLine = invoice.lines.find(({ type }) => type === 'usage');
assert.equal(usageLine.quantity, 1_500);
assert.equal(usageLine.periodEnd.slice(0, 10), '2026-02-28');
step('period 31 January to 28 February billed: 20.00 + 1,500 × 0.0025 = 23.75');

await call('POST', `/v1/invoices/${invoice.id}/pay`, { as: key, expect: 409 });
await delivered('invoice.payment_failed');
const failedAttempts = await call('GET', `/v1/invoices/${invoice.id}/payment-attempts`, { as: key });
assert.ok(failedAttempts.data.length >= 1 && failedAttempts.data.every(({ status }) => status === 'failed'));
step('declined card: 409, the attempt listed, invoice.payment_failed received');

await call('DELETE', `/v1/customers/${customer.id}/payment-methods/${declined.id}`, { as: key });
await call('POST', `/v1/customers/${customer.id}/payment-methods`, {
  as: key,
  body: { type: 'test', test: 'pm_card_visa' },
});
const paid = await call('POST', `/v1/invoices/${invoice.id}/pay`, { as: key });
assert.equal(paid.status, 'paid');
await call('POST', `/v1/invoices/${invoice.id}/pay`, { as: key, expect: 400 });
step('good card: paid once; a second pay is 400');

const delivery = await delivered('invoice.paid');
const timestamp = delivery.headers['x-service-timestamp'];
const envelope = JSON.parse(delivery.body);
assert.equal(envelope.event, 'invoice.paid');
assert.deepEqual(
  [envelope.data.id, envelope.data.customerId, envelope.data.total, envelope.data.currency],
  [invoice.id, customer.id, 23.75, 'USD'],
);
assert.ok(Math.abs(Date.now() - Date.parse(timestamp)) < day);
assert.ok(!timestamp.includes('.'));
assert.equal(delivery.headers['user-agent'], 'Service-Webhook/1.0');
const { by, hex } = await signatureOf(webhook.secret, timestamp, delivery.body);
assert.equal(delivery.headers['x-service-signature'], hex);
step(`invoice.paid received; its signature verified by ${by}`);

const { url } = await call('GET', `/v1/invoices/${invoice.id}/link`, { as: key });
const path = new URL(url).pathname;
const page = await call('GET', path);
assert.match(page, /23\.75/);
const pdf = await fetch(`${base}/v1/invoices/${invoice.id}/pdf`, {
  headers: { authorization: `Bearer ${key}` },
});
assert.equal(pdf.headers.get('content-type'), 'application/pdf');
assert.equal(
  Buffer.from(await pdf.arrayBuffer())
    .subarray(0, 5)
    .toString(),
  '%PDF-',
);
step('hosted page and PDF');

const { data: audit } = await call('GET', '/v1/audit?action=invoice.*', { as: session });
assert.ok(audit.some(({ action, resourceId }) => action === 'invoice.paid' && resourceId === invoice.id));
step('audit log names the payment');

receiver.close();
receiver.closeAllConnections();
console.log('The main flow holds.');
