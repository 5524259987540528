import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { SagaProcess } from '#apps/saga';
import { startApp, type AppProcess } from '../support/app-process.js';
import { atWrites, holdWrites } from '../support/at-writes.js';
import {
  clientOf,
  createPlan,
  createPool,
  describeOfNode,
  fee,
  freezeClock,
  Gate,
  recordedEvents,
  requestsOf,
  settle,
  startSystem,
  subscribe,
  type Client,
  type System,
  type TestWorkspace,
} from '../support/index.js';
import { addUser } from '../support/second-user.js';

let system: System;
let db: pg.Pool;
let workspace: TestWorkspace;
/** The saga that executes. Whoever kills it starts the next one. */
let saga: AppProcess;
/** A second API process. */
let otherApi: AppProcess;
/** Two users who can approve: one at the API of the system, one at the other process. */
let finance: Client;
let admin: Client;
let customerId: string;

const { get, post, put, create } = requestsOf(() => workspace);

beforeAll(async () => {
  system = await startSystem();
  db = createPool(system.database, 4);
  await system.saga.get(SagaProcess).stop();
  [saga, otherApi] = await Promise.all([startApp('saga', system), startApp('api', system)]);
});
beforeEach(async () => {
  workspace = await system.workspace();
  await freezeClock(workspace, '2026-01-01T00:00:00Z');
  ({ session: finance } = await addUser(system, workspace, 'finance'));
  const { accessToken } = await addUser(system, workspace, 'admin');
  admin = clientOf(`http://127.0.0.1:${otherApi.port}`, { authorization: `Bearer ${accessToken}` });
  ({ id: customerId } = await create('/v1/customers', { name: 'Northwind Ltd' }));
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await Promise.all([saga?.stop(), otherApi?.stop()]);
  await db?.end();
  await system?.stop();
});

const enable = (action: string) => put(`/v1/approvals/policies/${action}`, { enabled: true });
/** An open invoice, and the request to void it. */
async function heldVoid() {
  await enable('invoice.void');
  await put('/v1/billing-settings', { autoCollect: false });
  const lines = [{ description: 'Work', unitPrice: 10 }];
  const { id: invoiceId } = await create('/v1/invoices', { customerId, currency: 'USD', lines });
  await settle(workspace);
  const { id } = await post(`/v1/invoices/${invoiceId}/void`, {}, 202);
  await settle(workspace);
  return { id: id as string, invoiceId: invoiceId as string };
}
/** The types of the events in a stream, and how often each is there. */
async function countsIn(stream: string): Promise<Record<string, number>> {
  const events = await recordedEvents(system.node.url);
  const counts: Record<string, number> = {};
  for (const { streamId, type } of events)
    if (streamId.endsWith(stream)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
/** The number of mails about a request. */
async function mailsAbout(id: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*)::int FROM mail.messages WHERE about = $1',
    [id],
  );
  return rows[0]!.count;
}
const ONCE_EXECUTED = {
  ...{ ApprovalRequested: 1, ApprovalGranted: 1, ApprovedActionStarted: 1, ApprovedActionExecuted: 1 },
};
const ONCE_FAILED = {
  ...{ ApprovalRequested: 1, ApprovalGranted: 1, ApprovedActionStarted: 1, ApprovedActionFailed: 1 },
};
/** The answer, which may have any status. */
const answerOf = (request: ReturnType<Client['post']>) => request.then((answer) => answer);

describeOfNode('two decisions at two processes at once', () => {
  const decide = { approve: 'ApprovalGranted', reject: 'ApprovalRejected' } as const;

  it.each(['approve', 'reject'] as const)(
    'an approval and a rejection, where the %s is first',
    async (first) => {
      const { id, invoiceId } = await heldVoid();
      const held = holdWrites(...Object.values(decide));
      const approved = answerOf(finance.post(`/v1/approvals/${id}/approve`, {}));
      const rejected = answerOf(admin.post(`/v1/approvals/${id}/reject`, {}));
      await held.arrived;
      const second = first === 'approve' ? 'reject' : 'approve';
      await held.release(decide[first]);
      await held.release(decide[second]);
      const answers = { approve: await approved, reject: await rejected };
      expect([answers[first].status, answers[second].status]).toEqual([200, 409]);
      expect(answers[second].body).toMatchObject({ code: 'approval_decided' });
      await settle(workspace);
      expect(await countsIn(id)).toEqual(
        first === 'approve' ? ONCE_EXECUTED : { ApprovalRequested: 1, ApprovalRejected: 1 },
      );
      expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({
        status: first === 'approve' ? 'void' : 'open',
      });
    },
  );

  it('two approvals: one counts, and the action is done once', async () => {
    const { id, invoiceId } = await heldVoid();
    // Both appends have come before either is written.
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let arrived = 0;
    atWrites((types) =>
      types.includes('ApprovalGranted') && arrived < 2
        ? {
            before: async () => {
              both[arrived++]!.resolve();
              await Promise.all(both.map(({ promise }) => promise));
            },
          }
        : undefined,
    );
    const answers = await Promise.all(
      [finance, admin].map((person) => answerOf(person.post(`/v1/approvals/${id}/approve`, {}))),
    );
    expect(arrived).toBe(2);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await settle(workspace);
    expect(await countsIn(id)).toEqual(ONCE_EXECUTED);
    expect(await countsIn(invoiceId)).toMatchObject({ InvoiceVoided: 1 });
  });
});

describeOfNode('an approved void while the invoice is paid', () => {
  it.each([
    ['the payment', 'PaymentStarted', 'InvoiceVoided'],
    ['the void', 'InvoiceVoided', 'PaymentStarted'],
  ])('%s is first: either of them happens', async (_, first, second) => {
    const { id, invoiceId } = await heldVoid();
    await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
    const held = holdWrites('PaymentStarted', 'InvoiceVoided');
    const paying = answerOf(workspace.http.post(`/v1/invoices/${invoiceId}/pay`));
    await finance.post(`/v1/approvals/${id}/approve`, {}).expect(200);
    await held.arrived;
    await held.release(first);
    await held.release(second);
    const paid = await paying;
    await settle(workspace);
    const request = await get(`/v1/approvals/${id}`);
    const invoice = await get(`/v1/invoices/${invoiceId}`);
    if (first === 'InvoiceVoided') {
      expect([paid.status, invoice.status, request.status]).toEqual([400, 'void', 'executed']);
      expect(await countsIn(id)).toEqual(ONCE_EXECUTED);
    } else {
      expect([paid.status, invoice.status, request.status]).toEqual([200, 'paid', 'failed']);
      expect(request.failure.code).toMatch(/^(payment_in_progress|invoice_already_paid)$/);
      expect(await countsIn(id)).toEqual(ONCE_FAILED);
    }
  });
});

describeOfNode('a saga that is killed while it executes', () => {
  /** Waits until a statement that matches waits for a lock. */
  async function blocked(statement: RegExp): Promise<void> {
    for (;;) {
      const { rows } = await db.query<{ query: string }>(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rows.some(({ query }) => statement.test(query))) return;
    }
  }
  /** Kills the saga at the first append of an event of this type. Resolves when it is dead. */
  function killedAt(moment: 'before' | 'after', type: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isTaken = false;
    atWrites((types) => {
      if (isTaken || !types.includes(type)) return undefined;
      isTaken = true;
      const kill = () => saga.kill().then(resolve);
      return moment === 'after' ? { after: kill } : { before: () => kill().then(() => false) };
    });
    return promise;
  }
  /** Approves, waits until the saga is dead, and starts the next one, which finishes the work. */
  async function approveAndRestart(id: string, killed: Promise<unknown>): Promise<void> {
    await finance.post(`/v1/approvals/${id}/approve`, {}).expect(200);
    await killed;
    saga = await startApp('saga', system);
    await settle(workspace);
  }
  /** Takes a lock, calls `isLocked`, and kills the saga when a statement of it waits for that lock. */
  async function killedBehind(lock: string, statement: RegExp, isLocked = () => {}): Promise<void> {
    const client = await db.connect();
    await client.query('BEGIN');
    await client.query(lock);
    isLocked();
    await blocked(statement);
    await saga.kill();
    await client.query('ROLLBACK');
    client.release();
  }

  async function expectExecutedOnce({ id, invoiceId }: { id: string; invoiceId: string }): Promise<void> {
    expect(await countsIn(id)).toEqual(ONCE_EXECUTED);
    expect(await countsIn(invoiceId)).toMatchObject({ InvoiceVoided: 1 });
    expect(await get(`/v1/approvals/${id}`)).toMatchObject({ status: 'executed', failure: null });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ status: 'void' });
    expect(await mailsAbout(id)).toBe(2);
  }

  it.each([
    ['before', 'ApprovedActionStarted'],
    ['after', 'ApprovedActionStarted'],
    ['before', 'InvoiceVoided'],
    ['after', 'InvoiceVoided'],
    ['before', 'ApprovedActionExecuted'],
    ['after', 'ApprovedActionExecuted'],
  ] as const)('executes once after a kill %s %s is stored', async (moment, type) => {
    const held = await heldVoid();
    await approveAndRestart(held.id, killedAt(moment, type));
    await expectExecutedOnce(held);
  });

  it('executes once after a kill before the task is stored', async () => {
    const held = await heldVoid();
    await approveAndRestart(
      held.id,
      killedBehind('LOCK TABLE saga.tasks IN SHARE MODE', /INSERT INTO saga\.tasks/),
    );
    await expectExecutedOnce(held);
  });

  it('executes once after a kill before the end of the task is stored', async () => {
    const held = await heldVoid();
    const killed = Promise.withResolvers<void>();
    atWrites((types) =>
      types.includes('ApprovedActionExecuted')
        ? {
            // The row is locked before the task can end. The kill comes when the end waits for it.
            before: () =>
              new Promise((go) => {
                const lock = `SELECT id FROM saga.tasks WHERE name = 'execute' AND status = 'running' FOR UPDATE`;
                killedBehind(lock, /SET status = 'done'/, go).then(killed.resolve, killed.reject);
              }),
          }
        : undefined,
    );
    await approveAndRestart(held.id, killed.promise);
    await expectExecutedOnce(held);
  });

  it.each(['before', 'after'] as const)(
    'fails once, with its reason, after a kill %s the failure is stored',
    async (moment) => {
      const { id, invoiceId } = await heldVoid();
      await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
      await post(`/v1/invoices/${invoiceId}/pay`);
      await approveAndRestart(id, killedAt(moment, 'ApprovedActionFailed'));
      expect(await countsIn(id)).toEqual(ONCE_FAILED);
      expect(await get(`/v1/approvals/${id}`)).toMatchObject({
        ...{ status: 'failed', result: null, failure: { code: 'invoice_already_paid' } },
      });
      expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ status: 'paid' });
    },
  );

  it('does the other actions once after one kill before their answers', async () => {
    await create('/v1/credit-types', { type: 'api', name: 'API', unitPrice: 0.5, currency: 'USD' });
    const planId = await createPlan(workspace, fee('Pro', 31, { timing: 'in_advance' }));
    const { subscriptionId } = await subscribe(workspace, planId, { id: 'south' });
    const lines = [{ description: 'Work', unitPrice: 80 }];
    const { id: invoiceId } = await create('/v1/invoices', { customerId, currency: 'USD', lines });
    await settle(workspace);
    const actions = [
      ['credit.grant', `/v1/customers/${customerId}/wallets/api/grants`, { amount: 10 }, 'CreditsGranted'],
      [
        'invoice.credit_note',
        `/v1/invoices/${invoiceId}/credit-note`,
        { reason: 'other', amount: 60 },
        'CreditNoteIssued',
      ],
      [
        'subscription.cancel',
        `/v1/subscriptions/${subscriptionId}/cancel`,
        { immediately: true },
        'SubscriptionCanceled',
      ],
    ] as const;
    const ids: string[] = [];
    for (const [action, path, body] of actions) {
      await enable(action);
      ids.push((await post(path, body, 202)).id);
    }
    await settle(workspace);
    // The saga dies when the events of all three are stored, and none is answered.
    const types = new Set<string>(actions.map(([, , , type]) => type));
    const stored = new Gate(types.size + 1);
    const killed = stored.pass().then(() => saga.kill());
    atWrites((written) =>
      written.some((type) => types.delete(type))
        ? { after: () => stored.pass().then(() => killed) }
        : undefined,
    );
    for (const id of ids.slice(1)) await finance.post(`/v1/approvals/${id}/approve`, {}).expect(200);
    await approveAndRestart(ids[0]!, killed);
    for (const id of ids) expect(await countsIn(id)).toEqual(ONCE_EXECUTED);
    const all = (await recordedEvents(system.node.url)).filter(({ metadata }) =>
      JSON.stringify(metadata).includes(workspace.workspaceId),
    );
    for (const [, , , type] of actions) expect(all.filter((event) => event.type === type)).toHaveLength(1);
    expect(await get(`/v1/customers/${customerId}/wallets/api`)).toMatchObject({ balance: 10 });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ amountCredited: 60 });
    expect(await get(`/v1/subscriptions/${subscriptionId}`)).toMatchObject({ status: 'canceled' });
  });
});
