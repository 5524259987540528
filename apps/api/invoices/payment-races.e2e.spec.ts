import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Pool } from 'pg';
import { AggregateStore } from '#libs/kernel/event-store';
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
afterEach(() => {
  jest.restoreAllMocks();
});
beforeEach(async () => {
  workspace = await system.workspace();
  http = workspace.http;
  invoiceId = await createInvoice(system, workspace, await customerWithCard(workspace));
  await http.post(`/v1/invoices/${invoiceId}/approve`).expect(200);
});

const paidOnce = ['InvoiceCreated', 'InvoiceOpened', 'PaymentStarted', 'PaymentSucceeded', 'InvoicePaid'];

describe('paying an invoice that is being paid', () => {
  it('is refused while the charge is under way, and after it', async () => {
    const release = await holdGateway();
    const first = pay().then((answer) => answer);
    await started();
    const { body } = await pay().expect(409);
    expect(body.code).toBe('payment_in_progress');
    await release();
    expect((await first).status).toBe(200);
    expect((await pay().expect(400)).body.code).toBe('invoice_already_paid');
    expect(await charges()).toBe(1);
    expect(await eventsOf(system, workspace.workspaceId, invoiceId)).toEqual(paidOnce);
  });

  it('charges once when twenty pay at once', async () => {
    const release = await holdGateway();
    const all = Promise.all(Array.from({ length: 20 }, () => pay().then((answer) => answer)));
    await started();
    await release();
    const answers = await all;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code as string);
    expect(refused).toHaveLength(19);
    expect(new Set([...refused, 'payment_in_progress', 'invoice_already_paid']).size).toBe(2);
    expect(await charges()).toBe(1);
    expect(await eventsOf(system, workspace.workspaceId, invoiceId)).toEqual(paidOnce);
  });
});

describe('voiding an invoice that is being paid', () => {
  it('is refused, since the charge may succeed', async () => {
    const release = await holdGateway();
    const paying = pay().then((answer) => answer);
    await started();
    const { body } = await http.post(`/v1/invoices/${invoiceId}/void`).expect(409);
    expect(body.code).toBe('payment_in_progress');
    await release();
    expect((await paying).body.status).toBe('paid');
    expect(await eventsOf(system, workspace.workspaceId, invoiceId)).toEqual(paidOnce);
  });

  it('has one winner, whoever comes first', async () => {
    const [paid, voided] = await Promise.all([
      pay().then((answer) => answer),
      http.post(`/v1/invoices/${invoiceId}/void`).then((answer) => answer),
    ]);
    expect([paid.status, voided.status].toSorted()).toEqual([200, 400]);
    const last = (await eventsOf(system, workspace.workspaceId, invoiceId)).at(-1);
    expect(last).toBe(paid.status === 200 ? 'InvoicePaid' : 'InvoiceVoided');
    expect(await charges()).toBe(paid.status === 200 ? 1 : 0);
  });

  it('leaves nothing to pay', async () => {
    await http.post(`/v1/invoices/${invoiceId}/void`).expect(200);
    await pay().expect(400);
    expect(await charges()).toBe(0);
  });
});

describe('opening twenty-five drafts at once', () => {
  it('gives no number twice and leaves none out, though five of them are voided when they have theirs', async () => {
    await http.put('/v1/billing-settings', { invoiceNumberPrefix: 'ACME' }).expect(200);
    const customerId = await customerWithCard(workspace);
    const make = () => createInvoice(system, workspace, customerId);
    const approve = (id: string) => http.post(`/v1/invoices/${id}/approve`).then((answer) => answer);
    const drafts: string[] = [];
    for (let i = 0; i < 25; i++) drafts.push(await make());
    const { arrived, release } = holdOpenings(drafts.length);
    const opening = Promise.all(drafts.map(approve));
    await arrived;
    for (const id of drafts.slice(20)) await http.post(`/v1/invoices/${id}/void`).expect(200);
    release();
    const statuses = (await opening).map(({ status }) => status);
    expect(statuses).toEqual(drafts.map((_, i) => (i < 20 ? 200 : 409)));
    // What was given back goes to the next ones.
    for (let i = 0; i < 5; i++) expect((await approve(await make())).status).toBe(200);
    const { body } = await http.get('/v1/invoices?page_size=100').expect(200);
    const places = (body.data as { number: string | null }[]).flatMap(({ number }) =>
      number === null ? [] : Number(number.split('-')[1]),
    );
    expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
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

/** Holds every charge of the sandbox's gateway until the returned function is called. */
async function holdGateway(): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  await holder.query('BEGIN; LOCK TABLE payments.sandbox_charges IN SHARE ROW EXCLUSIVE MODE');
  return async () => {
    await holder.query('ROLLBACK');
    holder.release();
  };
}

/** Holds invoices when they have their numbers and are about to be opened, until `release` is called. */
function holdOpenings(expected: number): { arrived: Promise<void>; release: () => void } {
  const store = system.api.get(AggregateStore, { strict: false });
  const execute = store.execute.bind(store);
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let held = 0;
  jest.spyOn(store, 'execute').mockImplementation(async (decider, id, context, command) => {
    if ((command as { type?: string }).type === 'OpenInvoice') {
      held += 1;
      if (held === expected) arrived.resolve();
      await released.promise;
    }
    return execute(decider, id, context, command);
  });
  return { arrived: arrived.promise, release: released.resolve };
}

/** Charges that the gateway has in its books for the invoice. */
async function charges(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM payments.sandbox_charges WHERE invoice_id = $1',
    [invoiceId],
  );
  return rows[0]!.count;
}

function pay() {
  return http.post(`/v1/invoices/${invoiceId}/pay`);
}

function started() {
  return untilEvent(system, workspace.workspaceId, invoiceId, 'PaymentStarted');
}
