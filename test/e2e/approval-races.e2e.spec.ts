import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
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
  [saga, otherApi, workspace] = await Promise.all([
    startApp('saga', system),
    startApp('api', system),
    system.workspace(),
  ]);
  await freezeClock(workspace, '2026-01-01T00:00:00Z');
  ({ session: finance } = await addUser(system, workspace, 'finance'));
  const { accessToken } = await addUser(system, workspace, 'admin');
  admin = clientOf(`http://127.0.0.1:${otherApi.port}`, { authorization: `Bearer ${accessToken}` });
  ({ id: customerId } = await create('/v1/customers', { name: 'Northwind Ltd' }));
  await create(`/v1/customers/${customerId}/payment-methods`, { type: 'test', test: 'pm_card_visa' });
  await put('/v1/billing-settings', { autoCollect: false });
  await enable('invoice.void');
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
/** A request to void an open invoice. */
interface HeldVoid {
  readonly id: string;
  readonly invoiceId: string;
}
async function heldVoids(count: number): Promise<HeldVoid[]> {
  const lines = [{ description: 'Work', unitPrice: 10 }];
  const each = <T>(make: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => make(n)));
  const invoices = await each(() => create('/v1/invoices', { customerId, currency: 'USD', lines }));
  await settle(workspace);
  const requests = await each((n) => post(`/v1/invoices/${invoices[n].id}/void`, {}, 202));
  await settle(workspace);
  return requests.map(({ id }, n) => ({ id, invoiceId: invoices[n].id }));
}
const heldVoid = async (): Promise<HeldVoid> => (await heldVoids(1))[0]!;
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
  ApprovalRequested: 1,
  ApprovalGranted: 1,
  ApprovedActionStarted: 1,
  ApprovedActionExecuted: 1,
};
const ONCE_FAILED = {
  ApprovalRequested: 1,
  ApprovalGranted: 1,
  ApprovedActionStarted: 1,
  ApprovedActionFailed: 1,
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
  /** Waits until the saga is dead, and starts the next one, which finishes the work. */
  async function restartAfter(killed: Promise<unknown>): Promise<void> {
    await killed;
    saga = await startApp('saga', system);
    await settle(workspace);
  }
  const approve = ({ id }: { id: string }) => finance.post(`/v1/approvals/${id}/approve`, {}).expect(200);

  async function expectExecutedOnce({ id, invoiceId }: HeldVoid): Promise<void> {
    expect(await countsIn(id)).toEqual(ONCE_EXECUTED);
    expect(await countsIn(invoiceId)).toMatchObject({ InvoiceVoided: 1 });
    expect(await get(`/v1/approvals/${id}`)).toMatchObject({ status: 'executed', failure: null });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ status: 'void' });
    expect(await mailsAbout(id)).toBe(2);
  }
  async function expectFailedOnce({ id, invoiceId }: HeldVoid): Promise<void> {
    expect(await countsIn(id)).toEqual(ONCE_FAILED);
    expect(await get(`/v1/approvals/${id}`)).toMatchObject({
      status: 'failed',
      result: null,
      failure: { code: 'invoice_already_paid' },
    });
    expect(await get(`/v1/invoices/${invoiceId}`)).toMatchObject({ status: 'paid' });
  }

  it('finishes each request once, when it dies with one before and one after each event', async () => {
    const steps = (
      ['ApprovedActionStarted', 'InvoiceVoided', 'ApprovedActionExecuted', 'ApprovedActionFailed'] as const
    ).flatMap((type) => [
      { type, moment: 'before' },
      { type, moment: 'after' },
    ]);
    const held = await heldVoids(steps.length);
    for (const [n, { type }] of steps.entries())
      if (type === 'ApprovedActionFailed') await post(`/v1/invoices/${held[n]!.invoiceId}/pay`);
    // The saga dies when each request is at its step.
    const all = new Gate(steps.length + 1);
    const killed = all.pass().then(() => saga.kill());
    const waiting = new Set(steps.keys());
    atWrites((types, stream) => {
      const at = held.findIndex(({ id, invoiceId }) => stream.endsWith(id) || stream.endsWith(invoiceId));
      if (!waiting.has(at) || !types.includes(steps[at]!.type)) return undefined;
      waiting.delete(at);
      const untilDead = () => all.pass().then(() => killed);
      return steps[at]!.moment === 'after'
        ? { after: untilDead }
        : { before: () => untilDead().then(() => false) };
    });
    await Promise.all(held.map(approve));
    await restartAfter(killed);
    for (const [n, one] of held.entries())
      await (steps[n]!.type === 'ApprovedActionFailed' ? expectFailedOnce(one) : expectExecutedOnce(one));
  });

  it('executes once, when it dies before the task of one request and the end of the task of another are stored', async () => {
    const [ending, beginning] = (await heldVoids(2)) as [HeldVoid, HeldVoid];
    const holder = await db.connect();
    const executed = Promise.withResolvers<void>();
    const isLocked = Promise.withResolvers<void>();
    atWrites((types) =>
      types.includes('ApprovedActionExecuted')
        ? {
            before: async () => {
              executed.resolve();
              await isLocked.promise;
            },
          }
        : undefined,
    );
    await approve(ending);
    await executed.promise;
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE saga.tasks IN SHARE MODE');
    isLocked.resolve();
    await approve(beginning);
    for (const statement of [/SET status = 'done'/, /INSERT INTO saga\.tasks/]) await blocked(statement);
    const killed = saga.kill();
    await killed;
    await holder.query('ROLLBACK');
    holder.release();
    await restartAfter(killed);
    for (const one of [ending, beginning]) await expectExecutedOnce(one);
  });

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
    for (const id of ids) await approve({ id });
    await restartAfter(killed);
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
