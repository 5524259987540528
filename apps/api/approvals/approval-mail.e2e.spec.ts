import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { ApprovalMailProcess } from '#libs/contexts/approvals';
import { WorkspaceUserFinder } from '#libs/contexts/identity';
import { MailQueue } from '#libs/outputs/mail';
import { MailServer, textOf } from '../../../test/support/mail-server.js';
import {
  createPool,
  freezeClock,
  settle,
  startSystem,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { addUser } from '../../../test/support/second-user.js';

let system: System;
let mail: MailServer;
let db: pg.Pool;

beforeAll(async () => {
  mail = await MailServer.start();
  system = await startSystem({ MAIL_URL: mail.url, MAIL_FROM: 'Countinghouse <billing@example.com>' });
  db = createPool(system.database, 1);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await db?.end();
  await system?.stop();
  await mail?.close();
});

/** A workspace that holds voids, with users of several roles, and an open invoice. */
async function holding() {
  const workspace = await system.workspace({ companyName: 'Engines Ltd' });
  await freezeClock(workspace, '2026-01-01T00:00:00Z');
  const [finance, admin] = [
    await addUser(system, workspace, 'finance'),
    await addUser(system, workspace, 'admin'),
  ];
  await addUser(system, workspace, 'developer');
  await workspace.http.put('/v1/approvals/policies/invoice.void', { enabled: true }).expect(200);
  const { id: customerId } = (
    await workspace.http.post('/v1/customers', { name: 'Northwind Ltd' }).expect(201)
  ).body as { id: string };
  const lines = [{ description: 'Work', unitPrice: 100 }];
  const body = { customerId, currency: 'USD', lines };
  const { id: invoiceId } = (await workspace.http.post('/v1/invoices', body).expect(201)).body as {
    id: string;
  };
  const [name] = workspace.email.split('@');
  const addressOf = (role: string) => `${name}-${role}@example.com`;
  return { workspace, finance, admin, invoiceId, addressOf };
}

const askVoid = async ({ http }: Pick<TestWorkspace, 'http'>, invoiceId: string): Promise<string> =>
  (
    (await http.post(`/v1/invoices/${invoiceId}/void`, { reason: 'Ada paid twice' }).expect(202)).body as {
      id: string;
    }
  ).id;
/** Who has mail about the request, in the queue or sent. */
const recipientsOf = async (requestId: string): Promise<string[]> => {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM mail.messages WHERE about = $1', [
    requestId,
  ]);
  return rows.map(({ id }) => id);
};

describe('mail about a request', () => {
  it('goes to everybody who can decide except the person who asked, and lets them decide', async () => {
    const { workspace, finance, invoiceId, addressOf } = await holding();
    // The key belongs to the user of the workspace, who is an admin too.
    const requestId = await askVoid(workspace, invoiceId);
    const received = await mail.next(addressOf('finance'));
    await mail.next(addressOf('admin'));
    const text = textOf(received);
    expect(text).toContain('Subject: Approval needed in Engines Ltd: Void an invoice, 100.00 USD');
    expect(text).toContain(
      'Test User asks for an approval in Engines Ltd on Countinghouse: Void an invoice.',
    );
    expect(text).toContain('expires on 2026-01-08 00:00 UTC');
    expect(text).toContain('Content-Type: text/html');
    // An erasure does not reach mail that was sent.
    expect(text).not.toMatch(/Northwind|Ada paid twice/);
    const [, path] = /send POST http:\/\/127\.0\.0\.1:3000(\/v1\/approvals\/apr_\w+\/approve)\n/.exec(text)!;
    expect((await finance.session.post(path!, {}).expect(200)).body).toMatchObject({ id: requestId });
    await settle(workspace);
    expect(await recipientsOf(requestId)).toHaveLength(2);
    expect(mail.received).toEqual([]);
  });

  it('goes to the other admin where an admin without a key asks, and to nobody who was deactivated', async () => {
    const { workspace, admin, finance, invoiceId, addressOf } = await holding();
    await workspace.session.patch(`/v1/users/${finance.userId}`, { status: 'deactivated' }).expect(200);
    const requestId = await askVoid({ http: admin.session }, invoiceId);
    await mail.next(workspace.email);
    await settle(workspace);
    expect(await recipientsOf(requestId)).toHaveLength(1);
    expect(mail.received.filter(({ to }) => to.includes(addressOf('admin')))).toEqual([]);
  });

  it('is sent once to each, wherever the process dies', async () => {
    const { workspace, invoiceId, addressOf } = await holding();
    const died = new Error('the process died here');
    const queue = system.saga.get(MailQueue, { strict: false });
    const add = queue.add.bind(queue);
    let mails = 0;
    // The first attempt dies between the two mails, the second one after both are stored.
    jest.spyOn(queue, 'add').mockImplementation(async (...mail) => {
      mails += 1;
      if (mails === 2) throw died;
      return add(...mail);
    });
    const process = system.saga.get(ApprovalMailProcess, { strict: false });
    const perform = process.perform.bind(process);
    let stored = 0;
    jest.spyOn(process, 'perform').mockImplementation(async (task) => {
      const result = await perform(task);
      stored += 1;
      if (stored === 1) throw died;
      return result;
    });
    const requestId = await askVoid(workspace, invoiceId);
    await settle(workspace);
    expect([mails, stored]).toEqual([6, 2]);
    for (const role of ['finance', 'admin']) await mail.next(addressOf(role));
    expect(await recipientsOf(requestId)).toHaveLength(2);
    expect(mail.received).toEqual([]);
  });

  it('is not written for a request that nobody can approve', async () => {
    const { workspace, finance, invoiceId } = await holding();
    const people = system.api.get(WorkspaceUserFinder, { strict: false });
    jest.spyOn(people, 'userIdOfActor').mockResolvedValueOnce(null);
    const requestId = await askVoid(workspace, invoiceId);
    const { body } = await finance.session.post(`/v1/approvals/${requestId}/approve`, {}).expect(403);
    expect(body).toMatchObject({ code: 'requester_unknown' });
    await settle(workspace);
    expect(await recipientsOf(requestId)).toEqual([]);
  });

  it('is not written for a request that was decided before', async () => {
    const { workspace, finance, invoiceId } = await holding();
    const process = system.saga.get(ApprovalMailProcess, { strict: false });
    const perform = process.perform.bind(process);
    const decided = Promise.withResolvers<void>();
    jest.spyOn(process, 'perform').mockImplementation(async (task) => {
      await decided.promise;
      return perform(task);
    });
    const requestId = await askVoid(workspace, invoiceId);
    await finance.session.post(`/v1/approvals/${requestId}/reject`, {}).expect(200);
    decided.resolve();
    await settle(workspace);
    expect(await recipientsOf(requestId)).toEqual([]);
  });
});
