import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientOf, startSystem, type Client, type System } from '../support/index.js';
import { MailServer } from '../support/mail-server.js';
import { advanceClock, freezeClock } from '../support/plans.js';
import { setAddressProved } from '../support/proved-address.js';
import { until } from '../support/until.js';

let system: System;
let server: MailServer;
let http: Client;

beforeAll(async () => {
  server = await MailServer.start();
  system = await startSystem({ MAIL_URL: server.url, MAIL_FROM: 'Countinghouse <billing@example.com>' });
});
afterAll(async () => {
  await system?.stop();
  await server?.close();
});

const ADDRESSES = ['ap@northwind.example', 'cfo@northwind.example', 'archive@auditor.example'];
const DETAILS = {
  name: 'Northwind Ltd',
  email: 'ops@northwind.example',
  billingEmail: ADDRESSES[0],
  additionalEmails: ADDRESSES.slice(1),
};

/** Returns the receivers of all mail of a kind, in the order of the alphabet, with the status of each mail, once no mail waits. */
async function receivers(kind: string): Promise<string[]> {
  const all = async () =>
    (await http.get('/v1/sandbox/emails?limit=100').expect(200)).body.data as {
      kind: string;
      to: string;
      status: string;
    }[];
  const ended = await until(all, (mails) => mails.every(({ status }) => status !== 'pending'));
  return ended
    .filter((mail) => mail.kind === kind)
    .map(({ to, status }) => `${to} ${status}`)
    .sort();
}

describe('a customer with several addresses', () => {
  beforeAll(async () => {
    const workspace = await system.workspace();
    http = workspace.http;
    await setAddressProved(system.database, workspace.email);
    await freezeClock(workspace, '2026-03-01T09:00:00.000Z');
    await http
      .put('/v1/billing-settings', { netDays: 10, sandboxEmailAllowlist: ['@northwind.example'] })
      .expect(200);
    const { body } = await http.post('/v1/customers', { id: 'north', ...DETAILS }).expect(201);
    expect(body.additionalEmails).toEqual(DETAILS.additionalEmails);
  });

  it('gets invoices and reminders at each of them, each with its own status', async () => {
    const lines = [{ description: 'Consulting', quantity: 1, unitPrice: 20 }];
    const created = { customerId: 'north', currency: 'USD', lines };
    const { body } = await http.post('/v1/invoices', created).expect(201);
    await advanceClock({ http }, '2026-03-01T10:00:00.000Z');
    const sorted = [
      'ap@northwind.example sent',
      'archive@auditor.example withheld',
      'cfo@northwind.example sent',
    ];
    expect(await receivers('invoice')).toEqual(sorted);
    await advanceClock({ http }, '2026-03-15T10:00:00.000Z');
    expect(await receivers('dunning_friendly_reminder')).toEqual(sorted);
    const { body: listed } = await http.get(`/v1/invoices/${body.id}/emails`).expect(200);
    expect((listed.data as { to: string }[]).map(({ to }) => to).sort()).toEqual(
      [...ADDRESSES, ...ADDRESSES].sort(),
    );
    const recipients = server.received.flatMap(({ to }) => to);
    expect(recipients.filter((one) => one === 'cfo@northwind.example')).toHaveLength(2);
    expect(recipients).not.toContain('archive@auditor.example');
  });

  it('sees and changes them in the portal, and gets one mail at an address that is named twice', async () => {
    const { body } = await http.post('/v1/portal/sessions', { customerId: 'north' }).expect(201);
    const portal = clientOf(system.url, { authorization: `Bearer ${body.token}` });
    expect((await portal.get('/v1/portal/me').expect(200)).body.additionalEmails).toEqual(
      DETAILS.additionalEmails,
    );
    await portal.patch('/v1/portal/me', { additionalEmails: ['AP@northwind.example'] }).expect(200);
    const { body: customer } = await http.get('/v1/customers/north').expect(200);
    expect(customer).toMatchObject({ ...DETAILS, additionalEmails: ['AP@northwind.example'] });
    const lines = [{ description: 'Consulting', quantity: 1, unitPrice: 30 }];
    await http.post('/v1/invoices', { customerId: 'north', currency: 'USD', lines }).expect(201);
    await advanceClock({ http }, '2026-03-15T11:00:00.000Z');
    const all = await receivers('invoice');
    expect(all.filter((one) => one.startsWith('ap@'))).toHaveLength(2);
    expect(all.filter((one) => one.startsWith('AP@'))).toHaveLength(0);
  });

  it('exports them and the mail to them', async () => {
    const { body } = await http.get('/v1/customers/north/data-export').expect(200);
    expect(body.customer.additionalEmails).toEqual(['AP@northwind.example']);
    expect((body.mails as { to: string }[]).map(({ to }) => to)).toContain('cfo@northwind.example');
  });
});

it.each([
  [['a@b.example', 'A@B.example'], 'must not have an address twice'],
  [['a@b.example', 'a@b'], '[1] must be an e-mail address of at most 254 characters'],
  [Array.from({ length: 11 }, (_, n) => `a${n}@b.example`), 'must be a list of at most 10 e-mail addresses'],
  ['a@b.example', 'must be a list of at most 10 e-mail addresses'],
])('refuses %j', async (additionalEmails, message) => {
  const workspace = await system.workspace();
  const { body } = await workspace.http.post('/v1/customers', { name: 'A', additionalEmails }).expect(400);
  expect(body.details).toEqual([{ field: 'additionalEmails', message }]);
});

describe('a sandbox of which no admin has proved the address', () => {
  it('takes no address of strangers, and sends nothing to those that it has', async () => {
    const workspace = await system.workspace();
    http = workspace.http;
    await freezeClock(workspace, '2026-03-01T09:00:00.000Z');
    const settings = { netDays: 10, sandboxEmailAllowlist: ['@northwind.example', '@auditor.example'] };
    const { body: refused } = await http.put('/v1/billing-settings', settings).expect(403);
    expect(refused).toMatchObject({ code: 'address_not_proved' });
    await http.put('/v1/billing-settings', { netDays: 10, sandboxEmailAllowlist: [] }).expect(200);

    await setAddressProved(system.database, workspace.email);
    await http.put('/v1/billing-settings', settings).expect(200);
    await setAddressProved(system.database, workspace.email, false);
    // What is there already may stay.
    await http.put('/v1/billing-settings', settings).expect(200);
    await http.post('/v1/customers', { id: 'north', ...DETAILS }).expect(201);
    const lines = [{ description: 'Consulting', quantity: 1, unitPrice: 20 }];
    const invoice = { customerId: 'north', currency: 'USD', lines };
    await http.post('/v1/invoices', invoice).expect(201);
    await advanceClock({ http }, '2026-03-01T10:00:00.000Z');
    const withheld = ADDRESSES.map((address) => `${address} withheld`).sort();
    expect(await receivers('invoice')).toEqual(withheld);

    await setAddressProved(system.database, workspace.email);
    await http.post('/v1/invoices', invoice).expect(201);
    await advanceClock({ http }, '2026-03-01T11:00:00.000Z');
    const sent = ADDRESSES.map((address) => `${address} sent`);
    expect(await receivers('invoice')).toEqual([...withheld, ...sent].sort());
  });
});
