import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { Pool } from 'pg';
import { AggregateStore, LogLagReader } from '#libs/kernel/event-store';
import { observeProjectionLag } from '#libs/kernel/projection';
import { observeBacklog } from '#libs/kernel/saga';
import { measureProcess, renderMetricsPage } from '#libs/kernel/telemetry';
import { Receiver } from '../support/receiver.js';
import {
  advanceClock,
  createPlan,
  fee,
  freezeClock,
  isEmbedded,
  startSystem,
  subscribe,
  withSecondApi,
  type System,
  type TestWorkspace,
} from '../support/index.js';

let system: System;
let workspace: TestWorkspace;
let receiver: Receiver;

beforeAll(async () => {
  system = await startSystem();
  receiver = await Receiver.start();
  workspace = await system.workspace();
});
afterAll(async () => {
  await receiver?.close();
  await system?.stop();
});

/** Our samples of the page, by name and labels as Prometheus writes them, without our prefix. */
async function samples(): Promise<Map<string, number>> {
  const lines = (await renderMetricsPage()).matchAll(/^countinghouse_(.+) (\S+)$/gm);
  return new Map([...lines].map(([, name, value]) => [name!, Number(value)]));
}

/**
 * Asserts what `work` adds to each of the samples. What another process does on its behalf is counted a moment after the
 * answer, so this looks again until all is counted.
 */
async function adds(expected: Record<string, number>, work: () => Promise<unknown>): Promise<void> {
  const before = await samples();
  await work();
  for (;;) {
    const after = await samples();
    const added = Object.keys(expected).map(
      (name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)] as const,
    );
    if (added.some(([name, count]) => count < expected[name]!)) continue;
    expect(Object.fromEntries(added)).toEqual(expected);
    return;
  }
}

describe('the metrics', () => {
  it('count requests by route, and all that no route matches as one', async () => {
    const expected = {
      'http_requests_total{method="GET",route="/v1/customers/:id",status="404"}': 2,
      'http_request_duration_seconds_count{method="GET",route="/v1/customers/:id"}': 2,
      'http_requests_total{method="GET",route="none",status="404"}': 3,
    };
    await adds(expected, async () => {
      for (const id of ['a', 'b']) await workspace.http.get(`/v1/customers/${id}`).expect(404);
      for (const path of ['/x', '/y', '/z']) await workspace.http.get(path).expect(404);
    });
  });

  it('count appends and conflicts, in the API and in the event store', async () => {
    await workspace.http.post('/v1/customers', { id: 'twice', name: 'A' }).expect(201);
    const ofNode = {
      'eventstore_writes_total{outcome="written"}': 1,
      eventstore_events_written_total: 1,
      'eventstore_writes_total{outcome="wrong_expected_revision"}': 1,
      eventstore_position: 1,
    };
    const expected = {
      'appends_total{outcome="appended"}': 1,
      appended_events_total: 1,
      append_duration_seconds_count: 1,
      'appends_total{outcome="conflict"}': 1,
      ...(isEmbedded && ofNode),
    };
    await adds(expected, async () => {
      await workspace.http.post('/v1/customers', { id: 'once', name: 'A' }).expect(201);
      // As another process, which does not know yet of the customer: the append tells it.
      system.api.get(AggregateStore, { strict: false }).forgetStates();
      await workspace.http.post('/v1/customers', { id: 'twice', name: 'B' }).expect(409);
    });
  });

  it('count usage by what became of it', async () => {
    await workspace.http.post('/v1/customers', { id: 'user', name: 'A' }).expect(201);
    const aggregation = { type: 'sum', property: 'n' };
    await workspace.http.post('/v1/metrics', { name: 'call', aggregation }).expect(201);
    const event = (idempotencyKey: string, n?: number) => ({
      customerId: 'user',
      eventName: 'call',
      idempotencyKey,
      properties: { n },
    });
    const expected = {
      'usage_events_total{outcome="stored"}': 2,
      'usage_events_total{outcome="repeated"}': 1,
      'usage_events_total{outcome="rejected"}': 2,
      'usage_events_unmatched_total{reason="property_missing"}': 1,
    };
    await adds(expected, async () => {
      await workspace.http.post('/v1/events', [event('1', 1), event('2'), event('2'), {}]).expect(200);
      await workspace.http.post('/v1/events', {}).expect(200);
    });
  });

  it('count attempts at webhooks and what became of the deliveries', async () => {
    const endpoint = { url: receiver.url, events: ['invoice.paid'] };
    const { body } = await workspace.session.post('/v1/webhooks', endpoint).expect(201);
    const test = () => workspace.session.post(`/v1/webhooks/${body.id}/test`).expect(200);
    const expected = {
      'webhook_attempts_total{outcome="acknowledged"}': 1,
      'webhook_attempts_total{outcome="refused"}': 1,
      webhook_attempt_duration_seconds_count: 2,
      'webhook_deliveries_total{outcome="delivered"}': 1,
      'webhook_deliveries_total{outcome="failed"}': 1,
      'saga_tasks_total{process="webhooks",task="deliver",outcome="done"}': 2,
    };
    await adds(expected, async () => {
      await test();
      receiver.answer = (_, response) => void response.writeHead(500).end();
      await test();
    });
  });

  it('show the connections of each process to Postgres', async () => {
    const page = await samples();
    for (const app of ['api', 'projector', 'saga'])
      expect(page.get(`postgres_connections_idle{pool="countinghouse ${app}"}`)).toBeGreaterThan(0);
  });
});

describe('the dashboard', () => {
  it('asks for nothing that is not among the metrics', async () => {
    const dashboard = await readFile('docker/grafana/countinghouse.json', 'utf8');
    const asked = new Set(
      [...dashboard.matchAll(/countinghouse_[a-z_]+|(?:process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name),
    );
    measureProcess();
    const page = await renderMetricsPage();
    const told = new Set([...page.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name!));
    const unknown = [...asked].filter(
      (name) => !told.has(name) && !told.has(name.replace(/_(bucket|sum|count)$/, '')),
    );
    expect(asked.size).toBeGreaterThan(20);
    expect(unknown).toEqual([]);
  });
});

describe('what is behind', () => {
  it('shows as timers that are due and read models that lag', async () => {
    const pool = system.api.get(Pool, { strict: false });
    const lag = system.api.get(LogLagReader, { strict: false });
    await freezeClock(workspace, '2026-01-01T00:00:00Z');
    const planId = await createPlan(workspace, fee('Fee', 10));
    await subscribe(workspace, planId);
    // Answers when every reaction has been noted.
    await advanceClock(workspace, '2026-01-01T00:00:00Z');
    const before = await samples();
    expect(before.get('saga_tasks_waiting{process="billing"}')).toBe(1);
    expect(before.get('saga_tasks_due{process="billing"}')).toBe(0);
    expect(before.get('projection_lag_positions{projection="customers"}')).toBe(0);
    expect(before.get('projection_lag_seconds{projection="customers"}')).toBe(0);
    expect(before.get('saga_lag_positions{process="billing"}')).toBeDefined();
    expect(before.get('meters_behind')).toBeDefined();

    await Promise.all([system.saga.close(), system.projector.close()]);
    expect([...(await samples()).keys()].filter((name) => /lag|saga_tasks_due/.test(name))).toEqual([]);

    // What the processes that are gone would show.
    const ends = [observeProjectionLag(pool, lag), observeBacklog(pool, lag)];
    const atEnd = await samples();
    await pool.query(`UPDATE workspaces.clocks SET frozen_at = '2026-02-01' WHERE workspace_id = $1`, [
      workspace.workspaceId,
    ]);
    // Nobody waits for the projector that is gone.
    await withSecondApi(
      system,
      workspace,
      (http) => http.post('/v1/customers', { id: 'late', name: 'Late' }).expect(201),
      { readYourWritesMillis: 0 },
    );
    const after = await samples();
    expect(after.get('saga_tasks_due{process="billing"}')).toBe(1);
    expect(after.get('saga_task_overdue_seconds{process="billing"}')).toBeGreaterThan(0);
    const lagAt = (page: Map<string, number>) =>
      page.get('projection_lag_positions{projection="customers"}')!;
    expect(lagAt(after) - lagAt(atEnd)).toBeGreaterThanOrEqual(1);
    expect(after.get('projection_lag_seconds{projection="customers"}')).toBeGreaterThan(0);
    for (const end of ends) end();
  });
});
