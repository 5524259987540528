import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, START } from '@eventstore/db-client';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Decimal } from '#libs/kernel/core';
import { createProjectorApp } from '#apps/projector';
import type { InvoiceView } from '../../apps/api/invoices/invoice.dto.js';
import { countinghouse, endCommands } from '../support/command.js';
import { startSystem, type System, type TestWorkspace } from '../support/index.js';
import { ROWS, tokenRequestsCsv } from '../support/token-requests.js';
import { advanceClock, createMetric, createPlan, fee, perUnit, subscribe } from '../support/plans.js';

/*
 * An hour of requests to a language model, billed as an operator would bill it: 8,819 requests with 18,059,974 context
 * tokens and 245,896 generated tokens.
 */

let system: System;
let workspace: TestWorkspace;
let folder: string;
let customerId: string;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  folder = await mkdtemp(join(tmpdir(), 'real-usage-'));
  await writeFile(join(folder, 'usage.csv'), tokenRequestsCsv());
  const { http } = workspace;
  await http.put('/v1/sandbox/clock', { now: '2023-11-16T00:00:00Z' }).expect(200);
  const sum = (name: string, property: string) =>
    createMetric(workspace, name, { type: 'sum', property }, 'llm.request');
  const planId = await createPlan(
    workspace,
    fee('Platform', 20, { timing: 'in_advance' }),
    perUnit('Requests', await createMetric(workspace, 'requests', { type: 'count' }, 'llm.request'), 0.01),
    perUnit('Context tokens', await sum('context', 'ContextTokens'), 0.0000025),
    perUnit('Generated tokens', await sum('generated', 'GeneratedTokens'), 0.00001),
  );
  ({ customerId } = await subscribe(workspace, planId));
  await advanceClock({ http }, '2023-11-16T23:00:00Z');
});
afterAll(async () => {
  await endCommands();
  await system?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('an hour of real usage', () => {
  it('is imported from a file, and importing it again changes nothing', async () => {
    await importFile();
    expect(await storedEvents()).toBe(ROWS);
    await importFile();
    expect(await storedEvents()).toBe(ROWS);
  });

  it('is billed to the cent at the end of the period', async () => {
    await advanceClock(workspace, '2023-12-16T01:00:00Z');
    const [invoice] = await invoices();
    const lines = Object.fromEntries(
      invoice!.lines.map(({ description, quantity, amount, periodStart, periodEnd }) => [
        description,
        [quantity, amount, periodStart.slice(0, 10), periodEnd.slice(0, 10)],
      ]),
    );
    // 8,819 × 0.01; 18,059,974 × 0.0000025 = 45.149935; 245,896 × 0.00001 = 2.45896
    expect(lines).toEqual({
      Platform: [1, 20, '2023-12-16', '2024-01-16'],
      Requests: [8_819, 88.19, '2023-11-16', '2023-12-16'],
      'Context tokens': [18_059_974, 45.15, '2023-11-16', '2023-12-16'],
      'Generated tokens': [245_896, 2.46, '2023-11-16', '2023-12-16'],
    });
    // 20.00 + 88.19 + 45.15 + 2.46
    expect(invoice!.total).toBe(155.8);
  });
});

describe('a replay from nothing', () => {
  it('reaches every figure of the invoices from the streams and the usage log alone', async () => {
    const prices = new Map<string, { config: Record<string, string>; metricId: string | null }>();
    const metrics = new Map<string, { type: string; property?: string }>();
    const issued = new Map<string, { total: string; lines: Record<string, string>[] }>();
    const client = EventStoreDBClient.connectionString(system.node.url);
    const log = new pg.Client(system.database.url);
    await log.connect();
    try {
      for await (const { event } of client.readAll({ fromPosition: START })) {
        const data = event!.data as Record<string, never>;
        if (event!.type === 'PriceCreated') prices.set(data['priceId']!, data as never);
        if (event!.type === 'MetricCreated') metrics.set(data['metricId']!, data['aggregation']!);
        if (event!.type === 'InvoiceCreated') issued.set(data['invoiceId']!, data as never);
      }
      const shown = await invoices();
      expect(shown.map(({ id }) => id).sort()).toEqual([...issued.keys()].sort());
      for (const invoice of shown) {
        let total = new Decimal(0);
        for (const line of issued.get(invoice.id)!.lines) {
          const { config, metricId } = prices.get(line['priceId']!)!;
          const quantity =
            metricId === null ? new Decimal(1) : await measured(log, metrics.get(metricId)!, line);
          // Rounded half up by hand, in whole cents: no amount here is negative.
          const cents = quantity
            .times(config['unitPrice'] ?? config['amount']!)
            .times(100)
            .plus('0.5')
            .floor();
          expect(line['amount']).toBe(cents.div(100).toFixed(2));
          const shownLine = invoice.lines.find(({ description }) => description === line['description'])!;
          expect([shownLine.quantity, shownLine.amount]).toEqual([
            quantity.toNumber(),
            cents.div(100).toNumber(),
          ]);
          total = total.plus(cents.div(100));
        }
        expect(issued.get(invoice.id)!.total).toBe(total.toFixed(2));
        expect(invoice.total).toBe(total.toNumber());
      }
    } finally {
      await client.dispose();
      await log.end();
    }
  });

  it('makes the same read models again', async () => {
    const before = await everything();
    await system.projector.close();
    const database = new pg.Client(system.database.url);
    await database.connect();
    await database.query('DELETE FROM projection.checkpoints');
    await database.end();
    const again = await createProjectorApp({
      ...system.settings,
      databaseUrl: system.database.urlAs('projector'),
    });
    // A write is answered once every read model has passed it, and so all that came before.
    await workspace.http.post('/v1/customers', { id: 'last', name: 'Last' }).expect(201);
    await workspace.http.delete('/v1/customers/last').expect(204);
    expect(await everything()).toEqual(before);
    await again.close();
  });
});

/** The quantity of a line, from the usage log as Postgres adds it up. */
async function measured(
  log: pg.Client,
  metric: { type: string; property?: string },
  line: Record<string, string>,
): Promise<Decimal> {
  const { rows } = await log.query<{ quantity: string }>(
    `SELECT ${metric.type === 'count' ? 'count(*)' : 'sum((properties->>$4)::numeric)'}::text AS quantity
     FROM usage.log WHERE customer_id = $1 AND timestamp >= $2 AND timestamp < $3`,
    [
      customerId,
      line['periodStart'],
      line['periodEnd'],
      ...(metric.type === 'count' ? [] : [metric.property]),
    ],
  );
  return new Decimal(rows[0]!.quantity);
}

/** What the lists of the workspace show. */
async function everything(): Promise<unknown[]> {
  const lists = ['customers', 'metrics', 'prices', 'plans', 'subscriptions', 'invoices', 'billing/history'];
  return Promise.all(
    lists.map(async (list) => (await workspace.http.get(`/v1/${list}`).expect(200)).body as unknown),
  );
}

async function importFile(): Promise<string> {
  const run = countinghouse(
    ['usage', 'import', join(folder, 'usage.csv'), '--customer', customerId, '--event', 'llm.request'],
    { COUNTINGHOUSE_URL: system.url, COUNTINGHOUSE_API_KEY: workspace.apiKey },
  );
  expect([await run.ended, run.output.text]).toEqual([0, expect.anything()]);
  return run.output.text;
}

async function storedEvents(): Promise<number> {
  const { body } = await workspace.http
    .post('/v1/events/query', {
      eventName: 'llm.request',
      startTime: '2023-11-16T00:00:00Z',
      endTime: '2023-11-17T00:00:00Z',
      aggregation: { type: 'count' },
    })
    .expect(200);
  return (body as { data: { value: number }[] }).data.reduce((total, { value }) => total + value, 0);
}

async function invoices(): Promise<InvoiceView[]> {
  return ((await workspace.http.get('/v1/invoices').expect(200)).body as { data: InvoiceView[] }).data;
}
