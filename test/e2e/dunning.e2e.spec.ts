import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import { AggregateStore } from '#libs/kernel/event-store';
import { InvoiceAttachmentMaker } from '../../libs/outputs/mail/customers/invoice-attachment-maker.js';
import { holdWrites } from '../support/at-writes.js';
import { beforeCommand, holdCommands } from '../support/before-command.js';
import {
  createPlan,
  describeOfNode,
  fee,
  Gate,
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { jumpClock } from '../support/invoicing.js';
import { MailServer } from '../support/mail-server.js';
import { advanceClock } from '../support/plans.js';
import { setAddressProved } from '../support/proved-address.js';
import { until } from '../support/until.js';

/*
 * Plays two months in a sandbox. Each mail and each step of dunning is predicted with its time, and nothing else is expected.
 */

let system: System;
let server: MailServer;
beforeAll(async () => {
  server = await MailServer.start();
  system = await startSystem({ MAIL_URL: server.url, MAIL_FROM: 'Countinghouse <billing@example.com>' });
});
let letFilesGo = () => {};
afterEach(() => {
  letFilesGo();
  jest.restoreAllMocks();
});
afterAll(async () => {
  await system?.stop();
  await server?.close();
});

const START = '2026-03-01T09:00:00.000Z';

async function sandbox(settings: object = {}): Promise<{ workspace: TestWorkspace; http: Client }> {
  const workspace = await system.workspace();
  const { http } = workspace;
  if ('sandboxEmailAllowlist' in settings) await setAddressProved(system.database, workspace.email);
  await http.put('/v1/sandbox/clock', { now: START }).expect(200);
  await http.put('/v1/billing-settings', { netDays: 10, ...settings }).expect(200);
  return { workspace, http };
}

async function customer(http: Client, id: string, card?: object): Promise<string> {
  await http.post('/v1/customers', { id, name: id, email: `${id}@example.com`, currency: 'USD' }).expect(201);
  if (card) await http.post(`/v1/customers/${id}/payment-methods`, { type: 'test', ...card }).expect(201);
  return id;
}

async function invoice(http: Client, customerId: string, unitPrice = 20): Promise<string> {
  const lines = [{ description: 'Consulting', quantity: 1, unitPrice }];
  const { body } = await http.post('/v1/invoices', { customerId, currency: 'USD', lines }).expect(201);
  return body.id as string;
}

const advance = (http: Client, to: string) => advanceClock({ http }, to);
const at = (month: number, day: number, time = '09:00') =>
  `2026-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T${time}:00.000Z`;

/** The mails to customers, oldest first: kind, subject and status. */
async function mails(http: Client): Promise<{ kind: string; to: string; subject: string; text: string }[]> {
  const { body } = await http.get('/v1/sandbox/emails?limit=100').expect(200);
  return body.data.reverse();
}
async function processes(http: Client, query = '') {
  return (await http.get(`/v1/dunning/processes${query}`).expect(200)).body.data;
}
/**
 * Holds each mail after it was decided to send it, until this many are held, at most four. Resolves then, to a function that lets them go.
 * Their files are none.
 */
async function holdFiles(count: number): Promise<() => void> {
  const arrived = new Gate(count + 1);
  const { promise: released, resolve } = Promise.withResolvers<void>();
  letFilesGo = resolve;
  const attachments = system.saga.get(InvoiceAttachmentMaker, { strict: false });
  jest.spyOn(attachments, 'makeFiles').mockImplementation(async () => {
    await arrived.pass();
    await released;
    return [];
  });
  await arrived.pass();
  return resolve;
}

/** Resolves after the next read of a debt by the saga. */
async function debtRead(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const store = system.saga.get(AggregateStore);
  const load = store.load.bind(store);
  jest.spyOn(store, 'load').mockImplementation(async (decider, id) => {
    const state = await load(decider, id);
    if (decider.category === 'dunning') resolve();
    return state;
  });
  await promise;
}

/** Customer, kind and status of all mail in the order of the alphabet, when each attempt has ended. */
async function ended(http: Client): Promise<string[]> {
  const all = async () =>
    (await http.get('/v1/sandbox/emails?limit=100').expect(200)).body.data as {
      to: string;
      kind: string;
      status: string;
    }[];
  const attempted = await until(all, (mail) => mail.every(({ status }) => status !== 'pending'));
  return attempted.map(({ to, kind, status }) => `${to.split('@')[0]} ${kind} ${status}`).sort();
}
const kindsOf = async (http: Client) => (await mails(http)).map(({ kind }) => kind);

describe('two months in a sandbox', () => {
  it('remind a customer who never pays after 3, 7, 14 and 21 days, and nobody else', async () => {
    const { http } = await sandbox();
    const never = await invoice(http, await customer(http, 'never'));
    // Performs what is due now, so this invoice is opened before the next one and gets the first number.
    await advance(http, START);
    await invoice(http, await customer(http, 'good', { test: 'pm_card_visa' }));
    // Due on 11 March. The clock goes on after each prediction.
    await advance(http, at(3, 11, '08:00'));
    expect(await processes(http)).toEqual([]);
    await advance(http, at(5, 1));
    expect((await mails(http)).map(({ kind, to, subject }) => [kind, to, subject])).toEqual([
      ['invoice', 'never@example.com', expect.stringMatching(/^Invoice INV-000001 from /)],
      ['receipt', 'good@example.com', expect.stringMatching(/^Receipt for invoice INV-000002 from /)],
      ['dunning_friendly_reminder', 'never@example.com', expect.any(String)],
      ['dunning_reminder', 'never@example.com', expect.any(String)],
      ['dunning_reminder', 'never@example.com', expect.any(String)],
      ['dunning_final_notice', 'never@example.com', expect.any(String)],
    ]);
    const [process, ...others] = await processes(http, '?status=completed');
    expect(others).toEqual([]);
    expect(process).toMatchObject({
      customerId: 'never',
      currency: 'USD',
      invoiceIds: [never],
      startedAt: at(3, 11, '10:00'),
      endedAt: at(4, 1),
      nextStepAt: null,
    });
    expect(
      process.steps.map((step: { takenAt: string; emailStatus: string; amount: number }) => [
        step.takenAt,
        step.amount,
        step.emailStatus,
      ]),
    ).toEqual([
      [at(3, 14), 20, 'withheld'],
      [at(3, 18), 20, 'withheld'],
      [at(3, 25), 20, 'withheld'],
      [at(4, 1), 20, 'withheld'],
    ]);
    const { body: exported } = await http.get('/v1/customers/never/data-export').expect(200);
    expect([exported.dunningProcesses.length, exported.mails.length]).toEqual([1, 5]);
    const { body: part } = await http.get('/v1/sandbox/emails?limit=4').expect(200);
    const { body: rest } = await http.get(`/v1/sandbox/emails?limit=4&after=${part.next}`).expect(200);
    expect([...part.data, ...rest.data].reverse()).toEqual(await mails(http));
    const { body: ofInvoice } = await http.get(`/v1/invoices/${never}/emails`).expect(200);
    expect(ofInvoice.data.map(({ kind }: { kind: string }) => kind)).toEqual([
      'dunning_final_notice',
      'dunning_reminder',
      'dunning_reminder',
      'dunning_friendly_reminder',
      'invoice',
    ]);
  });

  it('end the reminders with a payment, a void, a write-off or a credit note', async () => {
    const { http } = await sandbox();
    const ids: Record<string, string> = {};
    for (const name of ['pays', 'voids', 'writes', 'credits'])
      ids[name] = await invoice(http, await customer(http, name));
    await advance(http, at(3, 15));
    expect(await processes(http, '?status=active')).toHaveLength(4);
    await http.post('/v1/customers/pays/payment-methods', { type: 'test', test: 'pm_card_visa' }).expect(201);
    await http.post(`/v1/invoices/${ids['pays']}/pay`).expect(200);
    await http.post(`/v1/invoices/${ids['voids']}/void`, { reason: 'Mistake' }).expect(200);
    await http.post(`/v1/invoices/${ids['writes']}/mark-uncollectible`).expect(200);
    await http.post(`/v1/invoices/${ids['credits']}/credit-note`, { reason: 'other' }).expect(201);
    await advance(http, at(5, 1));
    expect((await processes(http)).map(({ status }: { status: string }) => status)).toEqual(
      Array(4).fill('settled'),
    );
    const kinds = await kindsOf(http);
    expect(kinds.filter((kind) => kind.startsWith('dunning_'))).toEqual(
      Array(4).fill('dunning_friendly_reminder'),
    );
    expect(kinds.filter((kind) => kind === 'receipt' || kind === 'credit_note').sort()).toEqual([
      'credit_note',
      'receipt',
    ]);
  });

  it('send one mail for each failed charge, and reminders only after the retries', async () => {
    const { http } = await sandbox({ netDays: 0 });
    const id = await invoice(http, await customer(http, 'broke', { test: 'pm_card_chargeDeclined' }));
    // The retries are made 1, 4, 9 and 16 days after the first failure.
    await advance(http, at(3, 17, '08:00'));
    expect(await kindsOf(http)).toEqual(Array(4).fill('payment_failed'));
    expect((await mails(http))[0]!.text).toContain('We will try again on 2 March 2026 at 09:00 UTC.');
    expect(await processes(http)).toEqual([]);
    await advance(http, at(3, 20, '08:00'));
    expect(await processes(http)).toMatchObject([
      { status: 'active', invoiceIds: [id], nextStepAt: expect.stringMatching(/^2026-03-20T09:00/) },
    ]);
    await advance(http, at(3, 21));
    expect(await kindsOf(http)).toEqual([...Array(5).fill('payment_failed'), 'dunning_friendly_reminder']);
  });

  it('remind later if a card is being charged when a reminder is due, and the charge fails', async () => {
    const { workspace, http } = await sandbox({ customerEmails: [], autoCollect: false });
    await http.put('/v1/payment-retry/settings', { enabled: false }).expect(200);
    const id = await invoice(http, await customer(http, 'declined', { test: 'pm_card_chargeDeclined' }));
    await advance(http, at(3, 14, '08:59'));
    const releases = [system.api, system.saga].map((app) => holdCommands(app, 'CompletePayment'));
    const charge = http.post(`/v1/invoices/${id}/pay`).then((answer) => answer);
    const attempts = async () =>
      (await http.get(`/v1/invoices/${id}/payment-attempts`).expect(200)).body.data;
    await until(attempts, ({ length }) => length > 0);
    // An advance of the clock would wait for the charge.
    await jumpClock(system, workspace, at(3, 14, '09:30'));
    // The step is tried. It is done, or it waits.
    const tried = async () => {
      const { rowCount } = await system.saga
        .get(Pool, { strict: false })
        .query(
          `SELECT FROM saga.tasks WHERE workspace_id = $1 AND name = 'take-step' AND (status = 'done' OR NOT awaited)`,
          [workspace.workspaceId],
        );
      return rowCount === 1;
    };
    await until(tried, (isTried) => isTried);
    for (const release of releases) release();
    await charge;
    // The clock does not wait for a step that waits.
    await advance(http, at(3, 14, '12:00'));
    await until(
      () => mails(http),
      ({ length }) => length > 0,
    );
    expect(await kindsOf(http)).toEqual(['dunning_friendly_reminder']);
  });

  it('end at once if the invoice is paid after it was found overdue and before this is recorded', async () => {
    const { http } = await sandbox();
    const id = await invoice(http, await customer(http, 'quick'));
    const [found, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    beforeCommand(system.saga, 'AddInvoice', async () => {
      found.resolve();
      await released.promise;
    });
    const moved = advance(http, at(3, 12));
    await found.promise;
    const checked = debtRead();
    await http.post(`/v1/invoices/${id}/payments`, { method: 'cash', amount: 20 }).expect(201);
    // The review after the payment finds the invoice not yet in the debt.
    await checked;
    released.resolve();
    await moved;
    expect(await processes(http)).toMatchObject([{ status: 'settled', invoiceIds: [] }]);
    const later = await invoice(http, 'quick');
    await advance(http, at(3, 23));
    expect(await processes(http, '?status=active')).toMatchObject([
      { invoiceIds: [later], steps: Array(4).fill({ takenAt: null }) },
    ]);
  });

  it('remind of several invoices in one mail, with the total', async () => {
    const { http } = await sandbox({ customerEmails: [] });
    await customer(http, 'two');
    await invoice(http, 'two', 20);
    await advance(http, at(3, 2));
    await invoice(http, 'two', 30);
    await advance(http, at(3, 15));
    const [mail, ...others] = await mails(http);
    expect(others).toEqual([]);
    expect(mail!.text).toContain('INV-000001, due 11 Mar 2026: $20.00');
    expect(mail!.text).toContain('INV-000002, due 12 Mar 2026: $30.00');
    expect(mail!.text).toContain('Amount due: $50.00');
  });
});

describe('a younger invoice', () => {
  it('gets its own steps after the older one is paid, and no final notice', async () => {
    const { http } = await sandbox({ customerEmails: [] });
    await customer(http, 'two');
    const older = await invoice(http, 'two', 20);
    await advance(http, at(3, 21));
    await invoice(http, 'two', 30);
    await advance(http, at(3, 31, '08:00'));
    await http.post(`/v1/invoices/${older}/payments`, { method: 'cash', amount: 20 }).expect(201);
    // The older invoice was due on 11 March, and its final notice on 1 April. The younger one is due on 31 March.
    await advance(http, at(4, 30));
    expect(await kindsOf(http)).toEqual([
      'dunning_friendly_reminder',
      'dunning_reminder',
      'dunning_reminder',
      'dunning_friendly_reminder',
      'dunning_reminder',
      'dunning_reminder',
      'dunning_final_notice',
    ]);
    const dates = (await processes(http)).flatMap(({ steps }: { steps: { takenAt: string | null }[] }) =>
      steps.map(({ takenAt }) => takenAt),
    );
    expect(dates).toContain(at(4, 3));
  });
});

describe('a balance', () => {
  it('pays the open invoices of its currency, the one that is due first at first, before a reminder names them', async () => {
    const { http } = await sandbox({ customerEmails: [] });
    await customer(http, 'payer');
    const first = await invoice(http, 'payer', 20);
    await advance(http, at(3, 2));
    const second = await invoice(http, 'payer', 30);
    await advance(http, at(3, 3));
    const third = await invoice(http, 'payer', 40);
    await advance(http, at(3, 4));
    // 60.00 for an invoice of 40.00. The surplus pays the invoice that is due first.
    await http.post(`/v1/invoices/${third}/payments`, { method: 'bank_transfer', amount: 60 }).expect(201);
    await advance(http, at(3, 5));
    const state = async (id: string) => {
      const { status, amountDue } = (await http.get(`/v1/invoices/${id}`).expect(200)).body;
      return { status, amountDue };
    };
    expect(await state(first)).toEqual({ status: 'paid', amountDue: 0 });
    await http.post('/v1/customers/payer/balance', { amount: 5, reason: 'Goodwill' }).expect(200);
    await advance(http, at(3, 16));
    expect(await state(second)).toEqual({ status: 'open', amountDue: 25 });
    const [mail, ...others] = await mails(http);
    expect(others).toEqual([]);
    expect(mail!.text).toContain('INV-000002, due 12 Mar 2026: $25.00');
  });

  it.each([true, false])(
    'gets what a pause of dunning gives back, and pays the overdue invoice, with the setting %s',
    async (balancePaysOpenInvoices) => {
      const { workspace, http } = await sandbox({ customerEmails: [], balancePaysOpenInvoices });
      const pause = [{ afterDays: 3, channel: 'email', template: 'final_notice', subscription: 'pause' }];
      await http.put('/v1/dunning/policies/default', { steps: pause }).expect(200);
      await customer(http, 'prepaid');
      const planId = await createPlan(
        workspace,
        fee('Year', 365, { timing: 'in_advance', cadence: 'annual' }),
        fee('Month', 10),
      );
      await http.post('/v1/subscriptions', { customerId: 'prepaid', planId }).expect(201);
      await advance(http, at(3, 2));
      const { body } = await http.get('/v1/invoices?customer_id=prepaid').expect(200);
      await http
        .post(`/v1/invoices/${body.data[0].id}/payments`, { method: 'bank_transfer', amount: 365 })
        .expect(201);
      // The monthly invoice of 1 April is due on 11 April, and the subscription is paused on 14 April.
      await advance(http, at(4, 20));
      const { body: after } = await http.get('/v1/invoices?customer_id=prepaid').expect(200);
      expect(after.data.map(({ status }: { status: string }) => status)).not.toContain('open');
      expect(after.data.map(({ amountDue }: { amountDue: number }) => amountDue)).not.toContain(10);
    },
  );

  it('that was kept by the settings pays before a reminder, once the setting is on', async () => {
    const { http } = await sandbox({ customerEmails: [], balancePaysOpenInvoices: false });
    await customer(http, 'kept');
    const id = await invoice(http, 'kept', 20);
    await advance(http, at(3, 2));
    await http.post('/v1/customers/kept/balance', { amount: 20, reason: 'Goodwill' }).expect(200);
    await advance(http, at(3, 3));
    expect((await http.get(`/v1/invoices/${id}`).expect(200)).body).toMatchObject({ status: 'open' });
    await http.put('/v1/billing-settings', { balancePaysOpenInvoices: true }).expect(200);
    await advance(http, at(3, 20));
    expect((await http.get(`/v1/invoices/${id}`).expect(200)).body).toMatchObject({ status: 'paid' });
    expect(await mails(http)).toEqual([]);
  });
});

describe('a reminder', () => {
  it('is not sent after a payment, a void or a write-off that comes while its files are made', async () => {
    const { http } = await sandbox({ customerEmails: [], sandboxEmailAllowlist: ['@example.com'] });
    const ids: Record<string, string> = {};
    for (const name of ['stays', 'pays', 'voids', 'writes'])
      ids[name] = await invoice(http, await customer(http, name));
    const release = holdFiles(4);
    await advance(http, at(3, 14));
    const letGo = await release;
    await http
      .post(`/v1/invoices/${ids['pays']}/payments`, { method: 'bank_transfer', amount: 20 })
      .expect(201);
    await http.post(`/v1/invoices/${ids['voids']}/void`).expect(200);
    await http.post(`/v1/invoices/${ids['writes']}/mark-uncollectible`).expect(200);
    letGo();
    const reminder = 'dunning_friendly_reminder';
    expect(await ended(http)).toEqual([
      `pays ${reminder} withheld`,
      `stays ${reminder} sent`,
      `voids ${reminder} withheld`,
      `writes ${reminder} withheld`,
    ]);
    expect(server.received.map(({ to }) => to)).toEqual([['stays@example.com']]);
  });
});

describe('a receipt of a payment that was recorded', () => {
  it('is written for each payment, and says what is still due or what went to the balance', async () => {
    const { http } = await sandbox({ customerEmails: ['receipt'] });
    const path = `/v1/invoices/${await invoice(http, await customer(http, 'transfers'))}/payments`;
    await advance(http, at(3, 1, '10:00'));
    await http.post(path, { method: 'bank_transfer', amount: 12, paidAt: '2026-03-01' }).expect(201);
    await advance(http, at(3, 2));
    await http.post(path, { method: 'cash', amount: 10 }).expect(201);
    await advance(http, at(3, 3));
    const [partly, rest, ...others] = await mails(http);
    expect(others).toEqual([]);
    expect([partly, rest]).toMatchObject([{ kind: 'receipt' }, { kind: 'receipt' }]);
    expect(partly!.text).toContain('We have received a part of the payment of invoice INV-000001.');
    expect(partly!.text).toContain(
      'Paid: $12.00\nPaid on: 1 Mar 2026\nPayment method: Bank transfer\nAmount due: $8.00\nDue: 11 Mar 2026\n',
    );
    expect(rest!.text).toContain('We have received your payment of invoice INV-000001.');
    expect(rest!.text).toContain('$2.00 was added to your balance');
    expect(rest!.text).toContain('Paid: $10.00\nPaid on: 2 Mar 2026\nPayment method: Cash\n\n');
  });

  it('is not written for a payment from the balance, or for one that is reversed before', async () => {
    const { http } = await sandbox({ customerEmails: ['receipt'] });
    await customer(http, 'balance');
    const path = `/v1/invoices/${await invoice(http, 'balance')}/payments`;
    await advance(http, at(3, 1, '10:00'));
    await http.post('/v1/customers/balance/balance', { amount: 5, reason: 'Goodwill' }).expect(200);
    await http.post(path, { method: 'balance' }).expect(201);
    // The mail is about to be written when the payment is reversed.
    const [arrived, released] = [new Gate(2), new Gate(2)];
    const settings = system.saga.get(CurrentBillingSettings, { strict: false });
    const ofWorkspace = settings.ofWorkspace.bind(settings);
    jest.spyOn(settings, 'ofWorkspace').mockImplementation(async (workspaceId) => {
      await arrived.pass();
      await released.pass();
      return ofWorkspace(workspaceId);
    });
    const { body } = await http.post(path, { method: 'check', amount: 15 }).expect(201);
    await arrived.pass();
    await http.delete(`${path}/${body.payments[1].id}`, { reason: 'The cheque bounced' }).expect(200);
    await released.pass();
    await advance(http, at(3, 2));
    expect(await mails(http)).toEqual([]);
  });
});

it('mail about what was voided or reversed while its files are made is not sent', async () => {
  const { http } = await sandbox({ sandboxEmailAllowlist: ['@example.com'] });
  const release = holdFiles(4);
  const ids: Record<string, string> = {};
  for (const name of ['bounces', 'credits']) ids[name] = await invoice(http, await customer(http, name));
  await advance(http, at(3, 1, '10:00'));
  const payments = `/v1/invoices/${ids['bounces']}/payments`;
  const { body: paid } = await http.post(payments, { method: 'check', amount: 20 }).expect(201);
  const note = { reason: 'other', amount: 5 };
  const { body: credited } = await http.post(`/v1/invoices/${ids['credits']}/credit-note`, note).expect(201);
  await advance(http, at(3, 1, '10:01'));
  const letGo = await release;
  await http.delete(`${payments}/${paid.payments[0].id}`, { reason: 'The cheque bounced' }).expect(200);
  await http.post(`/v1/invoices/${ids['bounces']}/void`).expect(200);
  await http.post(`/v1/invoices/${ids['credits']}/credit-notes/${credited.id}/void`).expect(200);
  letGo();
  expect(await ended(http)).toEqual([
    'bounces invoice withheld',
    'bounces receipt withheld',
    'credits credit_note withheld',
    'credits invoice sent',
  ]);
});

/*
 * A subscription costs 92.00 for the 92 days from 1 March to 1 June, in advance. Its invoice is due on 11 March, so the first step is on
 * 14 March, when 13 days are used. A pause gives the other 79 days back: 13.00 stay due. A cancellation by dunning gives nothing back.
 */
describeOfNode('a step that pauses or cancels, and a customer who pays at its instant', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** The step and the payment have both been decided, and neither is written. Then one is written after the other. */
  async function raceOf(action: 'pause' | 'cancel', first: 'payment' | 'step') {
    const { workspace, http } = await sandbox();
    const steps = [
      { afterDays: 3, template: 'reminder', subscription: action },
      { afterDays: 10, template: 'final_notice', subscription: 'cancel' },
    ];
    await http.put('/v1/dunning/policies/default', { steps }).expect(200);
    const price = fee('Base', 92, { cadence: 'quarterly', timing: 'in_advance' });
    const subscribed = {
      customerId: await customer(http, 'ada'),
      planId: await createPlan(workspace, price),
    };
    const { body: subscription } = await http.post('/v1/subscriptions', subscribed).expect(201);
    await advance(http, at(3, 14, '08:59'));
    const { body: invoices } = await http.get('/v1/invoices').expect(200);
    const { id: invoiceId } = invoices.data[0];

    const done = action === 'pause' ? 'SubscriptionPaused' : 'SubscriptionCanceled';
    const held = holdWrites('DunningStepTaken', 'PaymentRecorded', done);
    const moved = advance(http, at(3, 15)).then((answer) => answer);
    await held.arrivalOf('DunningStepTaken');
    const payment = { amount: 92, method: 'bank_transfer' };
    const paid = http
      .post(`/v1/invoices/${invoiceId}/payments`, payment)
      .expect(201)
      .then((answer) => answer);
    await held.arrivalOf('PaymentRecorded');
    if (first === 'payment') {
      await held.release('PaymentRecorded');
      await paid;
      await held.release('DunningStepTaken');
    } else {
      await held.release('DunningStepTaken');
      await held.release(done);
      await held.release('PaymentRecorded');
    }
    await Promise.all([moved, paid]);
    await advance(http, at(5, 1));

    const { body: after } = await http.get(`/v1/subscriptions/${subscription.id}`).expect(200);
    const { body: invoiceAfter } = await http.get(`/v1/invoices/${invoiceId}`).expect(200);
    const { body: balances } = await http.get('/v1/customers/ada/balances').expect(200);
    // The step is the only one, whichever came first.
    expect(await processes(http)).toMatchObject([
      {
        status: 'settled',
        endedAt: at(3, 14),
        steps: [{ takenAt: at(3, 14), amount: 92 }, { takenAt: null }],
      },
    ]);
    // A step that comes after the payment finds nothing to remind of.
    const reminder = first === 'payment' ? [] : ['dunning_reminder'];
    expect(await kindsOf(http)).toEqual(['invoice', ...reminder, 'receipt']);
    return {
      status: after.status,
      pausedAt: after.pausedAt,
      canceledAt: after.canceledAt,
      invoice: [invoiceAfter.status, invoiceAfter.amountReduced, invoiceAfter.amountPaid],
      balance: balances.data[0]?.balance ?? 0,
    };
  }

  it.each(['pause', 'cancel'] as const)(
    'keeps the subscription if the payment is written first: %s',
    async (action) => {
      expect(await raceOf(action, 'payment')).toEqual({
        status: 'active',
        pausedAt: null,
        canceledAt: null,
        invoice: ['paid', 0, 92],
        balance: 0,
      });
    },
  );

  it('pauses the subscription if the step is written first, and what was paid too much goes to the balance', async () => {
    const { invoice: paidInvoice, ...others } = await raceOf('pause', 'step');
    expect(others).toEqual({ status: 'paused', pausedAt: at(3, 14), canceledAt: null, balance: 79 });
    expect(paidInvoice[0]).toBe('paid');
  });

  it('cancels the subscription if the step is written first, and the payment counts', async () => {
    expect(await raceOf('cancel', 'step')).toEqual({
      status: 'canceled',
      pausedAt: null,
      canceledAt: at(3, 14),
      invoice: ['paid', 0, 92],
      balance: 0,
    });
  });
});

describe('the policy', () => {
  it('is changed in parts, and refuses steps that are out of order', async () => {
    const { http } = await sandbox();
    const { body: list } = await http.get('/v1/dunning/policies').expect(200);
    expect(list.data).toMatchObject([
      {
        id: 'default',
        enabled: true,
        steps: [{ afterDays: 3 }, { afterDays: 7 }, { afterDays: 14 }, { afterDays: 21 }],
      },
    ]);
    const { body } = await http.put('/v1/dunning/policies/default', { name: 'Ours' }).expect(200);
    expect(body).toMatchObject({ name: 'Ours', steps: list.data[0].steps });
    const steps = [
      { afterDays: 3, template: 'reminder' },
      { afterDays: 3, template: 'final_notice' },
    ];
    const { body: refused } = await http.put('/v1/dunning/policies/default', { steps }).expect(400);
    expect(refused.details).toMatchObject([{ field: 'steps[1].afterDays' }]);
    await http.put('/v1/dunning/policies/other', { name: 'Ours' }).expect(404);
  });

  it('can be disabled, which ends running processes before their next step', async () => {
    const { http } = await sandbox();
    await invoice(http, await customer(http, 'late'));
    await advance(http, at(3, 12));
    await http.put('/v1/dunning/policies/default', { enabled: false }).expect(200);
    await advance(http, at(5, 1));
    expect(await processes(http, '?customerId=late')).toMatchObject([{ status: 'stopped' }]);
    expect(await kindsOf(http)).toEqual(['invoice']);
  });
});
