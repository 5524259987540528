import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createInvoice, customerWithCard, eventsOf, untilEvent } from '../../../test/support/invoicing.js';
import {
  startSystem,
  type Client,
  type System,
  type TestWorkspace,
  createPool,
} from '../../../test/support/index.js';

let system: System;
let workspace: TestWorkspace;
let http: Client;
let invoiceId: string;
let pool: Pool;

beforeAll(async () => {
  system = await startSystem();
  // Its part in payments is tested by itself; here it would pay the invoices first.
  await system.saga.close();
  pool = createPool(system.database);
});
afterAll(async () => {
  await pool?.end();
  await system?.stop();
});
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
  invoiceId = await createInvoice(system, workspace, await customerWithCard(workspace));
  await http.post(`/v1/invoices/${invoiceId}/approve`).expect(200);
});

/** Holds every charge of the sandbox's gateway until the returned function is called. */
async function holdGateway(): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  await holder.query('BEGIN; LOCK TABLE payments.sandbox_charges IN SHARE ROW EXCLUSIVE MODE');
  return async () => {
    await holder.query('ROLLBACK');
    holder.release();
  };
}

/** Charges that the gateway has in its books for the invoice. */
async function charges(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM payments.sandbox_charges WHERE invoice_id = $1',
    [invoiceId],
  );
  return rows[0]!.count;
}

const pay = () => http.post(`/v1/invoices/${invoiceId}/pay`);
const started = () => untilEvent(system, workspace.accountId, invoiceId, 'PaymentStarted');
const paidOnce = ['InvoiceCreated', 'InvoiceOpened', 'PaymentStarted', 'PaymentSucceeded', 'InvoicePaid'];

describe('paying an invoice that is being paid', () => {
  it('is refused while the charge is under way, and after it', async () => {
    const release = await holdGateway();
    const first = pay().then((answer) => answer);
    await started();
    const { body } = await pay().expect(400);
    expect(body.code).toBe('payment_in_progress');
    await release();
    expect((await first).status).toBe(200);
    expect((await pay().expect(400)).body.code).toBe('invoice_already_paid');
    expect(await charges()).toBe(1);
    expect(await eventsOf(system, workspace.accountId, invoiceId)).toEqual(paidOnce);
  });

  it('charges once when twenty pay at once', async () => {
    const release = await holdGateway();
    const all = Promise.all(Array.from({ length: 20 }, () => pay().then((answer) => answer)));
    await started();
    await release();
    const answers = await all;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 400).map(({ body }) => body.code as string);
    expect(refused).toHaveLength(19);
    expect(new Set([...refused, 'payment_in_progress', 'invoice_already_paid']).size).toBe(2);
    expect(await charges()).toBe(1);
    expect(await eventsOf(system, workspace.accountId, invoiceId)).toEqual(paidOnce);
  });
});

describe('voiding an invoice that is being paid', () => {
  it('is refused, since the charge may succeed', async () => {
    const release = await holdGateway();
    const paying = pay().then((answer) => answer);
    await started();
    const { body } = await http.post(`/v1/invoices/${invoiceId}/void`).expect(400);
    expect(body.code).toBe('payment_in_progress');
    await release();
    expect((await paying).body.status).toBe('paid');
    expect(await eventsOf(system, workspace.accountId, invoiceId)).toEqual(paidOnce);
  });

  it('has one winner, whoever comes first', async () => {
    const [paid, voided] = await Promise.all([
      pay().then((answer) => answer),
      http.post(`/v1/invoices/${invoiceId}/void`).then((answer) => answer),
    ]);
    expect([paid.status, voided.status].toSorted()).toEqual([200, 400]);
    const last = (await eventsOf(system, workspace.accountId, invoiceId)).at(-1);
    expect(last).toBe(paid.status === 200 ? 'InvoicePaid' : 'InvoiceVoided');
    expect(await charges()).toBe(paid.status === 200 ? 1 : 0);
  });

  it('leaves nothing to pay', async () => {
    await http.post(`/v1/invoices/${invoiceId}/void`).expect(200);
    await pay().expect(400);
    expect(await charges()).toBe(0);
  });
});

/** Holds every number of an invoice until the returned function is called. */
async function holdNumbers(): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  await holder.query('BEGIN; LOCK TABLE invoicing.sequences IN SHARE ROW EXCLUSIVE MODE');
  return async () => {
    await holder.query('ROLLBACK');
    holder.release();
  };
}

/** Resolves when so many at once wait for what {@link holdNumbers} holds. */
async function untilWaiting(count: number): Promise<void> {
  for (let waiting = 0; waiting < count;) {
    const { rows } = await pool.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_locks
       WHERE NOT granted AND relation = 'invoicing.sequences'::regclass AND database = (
         SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    waiting = rows[0]!.waiting;
  }
}

describe('opening twenty drafts at once', () => {
  it('gives no number twice and leaves none out, also where five of them are voided meanwhile', async () => {
    await http.put('/v1/billing-settings', { invoiceNumberPrefix: 'ACME' }).expect(200);
    const customerId = await customerWithCard(workspace);
    const drafts: string[] = [];
    for (let i = 0; i < 25; i++) drafts.push(await createInvoice(system, workspace, customerId));
    const release = await holdNumbers();
    const opening = Promise.all(
      drafts.map((id) => http.post(`/v1/invoices/${id}/approve`).then((answer) => answer)),
    );
    // As many as the API has connections for.
    await untilWaiting(system.settings.databasePoolSize);
    const voiding = drafts
      .slice(20)
      .map((id) => http.post(`/v1/invoices/${id}/void`).then((answer) => answer));
    await release();
    const answers = await opening;
    await Promise.all(voiding);
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    // What was voided before it had its number has given it back: to those that came after, or to the next one.
    const next = await createInvoice(system, workspace, customerId);
    await http.post(`/v1/invoices/${next}/approve`).expect(200);
    const { body } = await http.get('/v1/invoices?page_size=100').expect(200);
    const places = (body.data as { number: string | null }[]).flatMap(({ number }) =>
      number === null ? [] : Number(number.split('-')[1]),
    );
    expect(places.toSorted((a, b) => a - b)).toEqual(places.map((_, index) => index + 1));
    expect(places.length).toBeGreaterThanOrEqual(22);
  });
});

describe('approving a draft that is being voided', () => {
  it('has one winner, and its number is not lost', async () => {
    const customerId = await customerWithCard(workspace);
    for (let round = 0; round < 3; round++) {
      const id = await createInvoice(system, workspace, customerId);
      await Promise.all(
        ['approve', 'void'].map((action) => http.post(`/v1/invoices/${id}/${action}`).then(() => undefined)),
      );
    }
    const last = await createInvoice(system, workspace, customerId);
    const { body } = await http.post(`/v1/invoices/${last}/approve`).expect(200);
    const { body: all } = await http.get('/v1/invoices').expect(200);
    const numbers = (all.data as { number: string | null }[]).flatMap(({ number }) => number ?? []);
    expect(numbers.toSorted()).toEqual(
      numbers.map((_, index) => `INV-${String(index + 1).padStart(6, '0')}`),
    );
    expect(body.number).toBe(`INV-${String(numbers.length).padStart(6, '0')}`);
  });
});
