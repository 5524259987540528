import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import {
  advanceClock,
  createPlan,
  createPool,
  fee,
  freezeClock,
  startSystem,
  subscribe,
  type System,
} from '../support/index.js';

const NOW = '2026-01-01T00:00:00.000Z';
const IN_A_MONTH = '2026-02-01T00:00:00.000Z';
const IN_FIVE_YEARS = '2031-01-01T00:00:00.000Z';
const TASKS = 100_000;
/** As many as the API has connections. */
const METRICS = 16;

let system: System;
let owner: pg.Pool;
beforeAll(async () => {
  system = await startSystem({ DATABASE_POOL_SIZE: String(METRICS) });
  owner = createPool(system.database);
});
afterAll(async () => {
  await owner?.end();
  await system?.stop();
});

/** Tasks of the workspace that are due and that nobody is at. */
async function waitingTasks(workspaceId: string): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(
    `SELECT count(*)::int FROM saga.tasks WHERE workspace_id = $1 AND status = 'pending' AND due_at <= $2`,
    [workspaceId, NOW],
  );
  return rows[0]!.count;
}

/** Stores tasks that find nothing to do: timers of a subscription that have been overtaken. */
async function addTasks(workspaceId: string, subscriptionId: string): Promise<void> {
  await owner.query(
    `INSERT INTO saga.tasks (id, process, name, workspace_id, payload, due_at, clock, event_id, correlation_id)
     SELECT 'tsk_overtaken_' || n, 'billing', 'pass-boundary', $1, jsonb_build_object('subscriptionId', $2::text), $3,
       'workspace', 'event', 'request'
     FROM generate_series(1, $4::int) n`,
    [workspaceId, subscriptionId, NOW, TASKS],
  );
}

/** Removes those of them that nobody is at. */
async function removeTasks(workspaceId: string): Promise<void> {
  await owner.query(
    `DELETE FROM saga.tasks WHERE workspace_id = $1 AND status = 'pending' AND due_at <= $2`,
    [workspaceId, NOW],
  );
}

/** Whether statements wait for a lock, which the test has. */
async function areHeld(): Promise<boolean> {
  const { rowCount } = await owner.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount !== 0;
}

// What each of these did to others by itself is held by tests of the parts; here they come together.
it('takes a payment while another workspace has 100,000 tasks due, moves its clock by years and measures heavy SQL', async () => {
  const [busy, other] = [await system.workspace(), await system.workspace()];
  for (const workspace of [busy, other]) await freezeClock(workspace, NOW);
  const { subscriptionId } = await subscribe(
    busy,
    await createPlan(busy, fee('Fee', 10, { cadence: 'annual' })),
  );
  const planId = await createPlan(other, fee('Fee', 10));
  await addTasks(busy.workspaceId, subscriptionId);

  let hasAdvanced = false;
  const locker = await owner.connect();
  await locker.query('BEGIN; LOCK TABLE sql_metrics.sample_events IN ACCESS EXCLUSIVE MODE');
  // Each is given up after five seconds, and the next one gets its turn.
  const measuring = Array.from({ length: METRICS }, async () => {
    await busy.http.post('/v1/metrics/evaluate', {
      aggregation: { type: 'sql' },
      sql: 'count(*)',
      events: [{}],
    });
  });
  const advancing = busy.http.post('/v1/sandbox/clock/advance', { to: IN_FIVE_YEARS }).then(({ status }) => {
    hasAdvanced = true;
    return status;
  });
  try {
    while (!(await areHeld()));
    // By tasks of the saga: an invoice, which stays open without a card. By the API: its payment.
    const { customerId } = await subscribe(other, planId);
    await advanceClock(other, IN_A_MONTH);
    const { body } = await other.http.get(`/v1/invoices?customer_id=${customerId}`).expect(200);
    expect(body.data).toMatchObject([{ status: 'open', total: 10 }]);
    const card = { type: 'test', test: 'pm_card_visa' };
    await other.http.post(`/v1/customers/${customerId}/payment-methods`, card).expect(201);
    const paid = await other.http.post(`/v1/invoices/${body.data[0].id}/pay`).expect(200);
    expect(paid.body).toMatchObject({ status: 'paid' });
    expect(hasAdvanced).toBe(false);
    expect(await areHeld()).toBe(true);
    expect(await waitingTasks(busy.workspaceId)).toBeGreaterThan(TASKS / 2);
  } finally {
    locker.release(true);
    await removeTasks(busy.workspaceId);
  }
  await Promise.all(measuring);
  expect(await advancing).toBe(200);
});
