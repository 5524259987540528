import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import { SagaProcess } from '#apps/saga';
import { startApp, type AppProcess } from '../support/app-process.js';
import { createPool, startSystem, type System } from '../support/index.js';
import { MailServer } from '../support/mail-server.js';
import { setAddressProved } from '../support/proved-address.js';

/*
 * Kills the saga while mail is sent. Each mail must arrive once, or be listed as unknown. The mail server holds its answers, so each kill is
 * between the end of a message and its answer.
 */

/** Two mails each. */
const CUSTOMERS = 6;
const MAILS = 2 * CUSTOMERS;
const KILLS = 3;

let system: System;
let pool: pg.Pool;
let server: MailServer;
let saga: AppProcess | undefined;

beforeAll(async () => {
  server = await MailServer.start();
  system = await startSystem();
  await system.saga.get(SagaProcess).stop();
  pool = createPool(system.database);
}, 480_000);
afterAll(async () => {
  await saga?.stop();
  await pool?.end();
  await system?.stop();
  await server?.close();
});

const start = () =>
  startApp('saga', system, { MAIL_URL: server.url, MAIL_FROM: 'Countinghouse <billing@example.com>' });

it('mail arrives once, or is unknown, when the saga is killed while it sends', async () => {
  const { http, email } = await system.workspace();
  await setAddressProved(system.database, email);
  const settings = { sandboxEmailAllowlist: ['@example.com'], customerEmails: ['invoice', 'receipt'] };
  await http.put('/v1/billing-settings', settings).expect(200);
  // Each kill waits until the server has got a message that it has not answered yet.
  let kills = 0;
  let arrived: (() => void) | undefined;
  server.answers = {
    afterMessage: () =>
      kills === KILLS
        ? Promise.resolve('answer')
        : // The answer never comes, since the saga is killed.
          new Promise(() => arrived?.()),
  };
  for (let n = 0; n < CUSTOMERS; n++) {
    const id = `customer-${n}`;
    await http
      .post('/v1/customers', { id, name: id, email: `${id}@example.com`, currency: 'USD' })
      .expect(201);
    const lines = [{ description: 'Consulting', quantity: 1, unitPrice: 20 }];
    const { body } = await http.post('/v1/invoices', { customerId: id, currency: 'USD', lines }).expect(201);
    await http.post(`/v1/invoices/${body.id}/payments`, { method: 'cash', amount: 15 }).expect(201);
  }
  for (; kills < KILLS; kills++) {
    const held = new Promise<void>((resolve) => (arrived = resolve));
    saga = await start();
    await held;
    await saga.kill();
  }
  saga = await start();
  for (let left = MAILS; left > 0;) {
    const { body } = await http.get('/v1/sandbox/emails?limit=100').expect(200);
    const done = body.data.filter(({ status }: { status: string }) => status !== 'pending');
    left = MAILS - done.length;
    await pool.query('SELECT pg_sleep(0.1)');
  }
  const { body } = await http.get('/v1/sandbox/emails?limit=100').expect(200);
  const mails = body.data as { id: string; kind: string; status: string }[];
  expect(mails.filter(({ kind }) => kind === 'receipt')).toHaveLength(CUSTOMERS);
  const arrivals = mails.map(({ id, status }) => ({
    status,
    count: server.received.filter(({ raw }) => raw.includes(`Message-ID: <${id}@`)).length,
  }));
  expect(new Set(mails.map(({ status }) => status))).toEqual(new Set(['sent', 'unknown']));
  expect(mails.filter(({ status }) => status === 'unknown').length).toBeGreaterThanOrEqual(KILLS);
  expect(arrivals.filter(({ status, count }) => status === 'sent' && count !== 1)).toEqual([]);
  // A saga can be killed after it has noted the end of a message and before that end is on its way.
  expect(arrivals.filter(({ count }) => count > 1)).toEqual([]);
}, 480_000);
