// While a workspace sends many mails with PDFs to its customers: how long a neighbour's writes take, and how long its user waits for a
// link to a new password.
import pg from 'pg';
import { caller } from './http-caller.mjs';
import { concurrently } from './concurrently.mjs';
import { during, neighbourWrites, writesResult } from './neighbour.mjs';
import { quantiles } from './quantiles.mjs';

/** The mails that wait at first. The browser needs about a second for each, so they do not end while it is measured. */
const QUEUED = 200;
const CUSTOMERS = 20;
/** The links that are requested one after the other. A user gets at most five an hour, so each has a user of its own. */
const LINKS = 10;
const MAX_LINK_MILLIS = 5_000;

export async function benchMails(stack, { seconds, rounds }) {
  const users = Array.from({ length: LINKS }, (_, i) => `reader-${i}`);
  await concurrently(LINKS, 1, (i) => stack.workspace(users[i]));
  const quiet = await neighbourWrites(stack, during(seconds));
  const quietLink = await millisOfLink(stack, users[0]);
  const queue = await queueMails(stack, 'mails');
  const before = stack.mails.received();
  const isOver = during(seconds * rounds);
  const [writes, links] = await Promise.all([
    neighbourWrites(stack, isOver),
    concurrently(LINKS, 1, (i) => millisOfLink(stack, users[i])),
  ]);
  const sent = stack.mails.received() - before - LINKS;
  const result = writesResult(`a flood of ${queue} mails with PDFs`, { ...writes, sent }, quiet);
  const slowestLink = Math.max(...links);
  return [
    { ...result, required: `${result.required}, mails leave`, passed: result.passed && sent > 0 },
    {
      name: `slowest mail with a link to a new password beside a flood of ${queue} mails with PDFs`,
      value: Math.round(slowestLink),
      unit: 'ms',
      baseline: { name: 'without the flood', value: Math.round(quietLink) },
      millis: quantiles(links),
      required: `<= ${MAX_LINK_MILLIS} ms`,
      passed: slowestLink <= MAX_LINK_MILLIS,
    },
  ];
}

/** The time from the request for a link to its mail, in ms. */
async function millisOfLink({ url, mails }, user) {
  const email = `${user}@example.com`;
  const arrival = mails.next(email);
  const began = performance.now();
  const call = caller({ 'content-type': 'application/json' });
  const { status } = await call('POST', `${url}/v1/auth/forgot-password`, JSON.stringify({ email }));
  if (status !== 202) throw new Error(`The request for a link was answered ${status}`);
  await arrival;
  return performance.now() - began;
}

/** Opens invoices, each of which becomes a mail with its PDF. Returns the number of the mails. */
async function queueMails(stack, name) {
  const { call, post } = await stack.workspace(name);
  await proveAddress(stack, `${name}@example.com`);
  await call('PUT', '/v1/billing-settings', { sandboxEmailAllowlist: ['@example.com'] });
  const customers = await concurrently(CUSTOMERS, 4, async (i) => {
    const { id } = await post('/v1/customers', { name: `Customer ${i}`, email: `customer-${i}@example.com` });
    return id;
  });
  await concurrently(QUEUED, 8, (i) =>
    post('/v1/invoices', {
      customerId: customers[i % CUSTOMERS],
      currency: 'USD',
      lines: [{ description: 'Work', unitPrice: 20 }],
    }),
  );
  return QUEUED;
}

/** Records that the user reads mail at the address, as a link of a mail does. A sandbox sends nothing to customers before. */
async function proveAddress({ databaseUrl }, email) {
  const db = new pg.Client(databaseUrl);
  await db.connect();
  await db.query('UPDATE identity.users SET address_proved_at = now() WHERE email = $1', [email]);
  await db.end();
}
