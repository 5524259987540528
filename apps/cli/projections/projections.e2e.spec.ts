import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import type pg from 'pg';
import { countinghouse, endCommands } from '../../../test/support/command.js';
import {
  advanceClock,
  createPlan,
  createPool,
  fee,
  freezeClock,
  recordedEvents,
  settle,
  startSystem,
  subscribe,
  type System,
  type TestWorkspace,
} from '../../../test/support/index.js';
import { holdAnchors } from '../../../test/support/audit-anchors.js';
import { descendantsOf } from '../../../test/support/processes.js';
import { Receiver } from '../../../test/support/receiver.js';
import { untilRead } from '../../../test/support/until-read.js';
import { CliError } from '../cli-error.js';
import { dropOldTables } from './drop-old.js';
import { rebuildReadModels, type ReadModelsRebuildResult, type RebuildReadModelsOptions } from './rebuild.js';
import { describeReadModelStates, areReadModelsKeptCurrent, readReadModelStates } from './states.js';
import { describeReadModelsVerification, verifyReadModels, type ReadModelsVerification } from './verify.js';

let system: System;
let workspace: TestWorkspace;
let pool: pg.Pool;
let receiver: Receiver;
let env: Record<string, string>;
/** The output of the last rebuild or verification. */
let said: string;
let planId: string;

beforeAll(async () => {
  system = await startSystem();
  pool = createPool(system.database);
  env = { DATABASE_URL: system.database.url, EVENTSTORE_URL: system.node.url, DATABASE_POOL_SIZE: '4' };
  workspace = await system.workspace();
  receiver = await Receiver.start();
  holdAnchors(system);
  await billTwoMonths();
});
afterAll(async () => {
  await endCommands();
  await receiver?.close();
  await pool?.end();
  await system?.stop();
});

describe('countinghouse projections verify', () => {
  it('finds nothing if nothing was changed, and leaves no tables', async () => {
    const { differences, rows, models, events } = await verify();
    expect({
      differences,
      tables: models.flatMap(({ tables }) => tables.flatMap(({ first }) => first)),
    }).toEqual({
      differences: 0,
      tables: [],
    });
    expect(rows).toBeGreaterThan(20);
    expect(events).toBe((await recordedEvents(system.node.url)).length);
    expect(
      await numberOf(
        `SELECT count(*)::int AS n FROM pg_class WHERE relnamespace = 'read_verify'::regnamespace`,
      ),
    ).toBe(0);
  });

  it('names a changed row, a missing row and an additional row, and exits with 1', async () => {
    await pool.query(`
      UPDATE read.customers SET state = jsonb_set(state, '{name}', '"Mallory"') WHERE id = 'south';
      DELETE FROM read.customers WHERE id = 'west';
      INSERT INTO read.customers
        SELECT 'customer-ghost', workspace_id, 'ghost', state, created_at, updated_at, created_position, deleted
        FROM read.customers WHERE id = 'north'`);
    const run = countinghouse(['projections', 'verify', 'customers', 'invoices'], env);
    expect(await run.ended).toBe(1);
    const stream = (id: string): string => `customers (stream customer-${workspace.workspaceId}.${id})`;
    expect(run.output.text).toContain(
      `customers: ${stream('south')}: state.name is "Mallory" and must be "south"\n`,
    );
    expect(run.output.text).toContain(`customers: ${stream('west')}: missing\n`);
    expect(run.output.text).toContain(
      'customers: customers (stream customer-ghost): no event leads to this row\n',
    );
    expect(run.output.text).toMatch(/^customers: 3 rows to position \d+: 3 differences\n/m);
    expect(run.output.text).toMatch(/^invoices: 6 rows to position \d+: matches the events\n/m);
    expect(run.output.text).toMatch(/^\d+ events read, 9 rows compared in .*: 3 differences found\n/m);
  });
});

describe('countinghouse projections rebuild', () => {
  it('repairs changed rows, and keeps the replaced tables until they are dropped', async () => {
    expect(await rebuild(['customers'])).toMatchObject({ swapped: ['customers'], ready: [], dropped: [] });
    expect((await verify()).differences).toBe(0);
    expect(await numberOf(`SELECT count(*)::int AS n FROM read_old.customers WHERE id = 'ghost'`)).toBe(1);
    const kept = await readReadModelStates(env);
    expect(kept.models.find(({ name }) => name === 'customers')!.oldBytes).toBeGreaterThan(0);

    expect(await dropOldTables(['customers'], false, env)).toEqual(['customers']);
    expect(await dropOldTables([], true, env)).toEqual([]);
    expect(await rebuild(['customers'], { dropOld: true })).toMatchObject({ dropped: ['customers'] });
  });

  it('drops the tables that it replaced, also if another read model waits for a projector of its version', async () => {
    await rebuild(['invoices']);
    await pool.query(`UPDATE projection.checkpoints SET version = version + 1 WHERE name = 'invoices'`);
    try {
      expect(await rebuild(['customers', 'invoices'], { dropOld: true })).toMatchObject({
        swapped: ['customers'],
        ready: ['invoices'],
        dropped: ['customers'],
      });
    } finally {
      await pool.query(`UPDATE projection.checkpoints SET version = version - 1 WHERE name = 'invoices'`);
    }
    expect(await rebuild(['invoices'], { dropOld: true })).toMatchObject({ swapped: ['invoices'] });
  });

  it('does not interrupt readers, and causes no webhook, mail, payment, task or event', async () => {
    const paths = ['/v1/customers?limit=100', '/v1/invoices?limit=100', '/v1/ledger/entries?limit=100'];
    const answers = async () =>
      Promise.all(paths.map(async (path) => (await workspace.http.get(path).expect(200)).body as object));
    await settle(workspace);
    const before = await answers();
    const effects = async () => {
      const tasks = await pool.query<{ name: string }>('SELECT name FROM saga.tasks ORDER BY name');
      const events = await recordedEvents(system.node.url);
      return [...events.map(({ type }) => type), ...tasks.rows.map(({ name }) => name)];
    };
    const had = await effects();
    const received = receiver.received.length;
    let over = false;
    let reads = 0;
    const reading = (async () => {
      for (; !over; reads++) expect(await answers()).toEqual(before);
    })();
    const rebuilt = await rebuild([], { all: true });
    over = true;
    await reading;
    expect(reads).toBeGreaterThan(0);
    expect(rebuilt.swapped).toHaveLength((await readReadModelStates(env)).models.length);
    expect(await effects()).toEqual(had);

    // The next delivery is that of the next event.
    await subscribe(workspace, planId, { id: 'east', name: 'east' });
    await receiver.arrived(received + 1);
    const bodies = receiver.received.slice(received).map(({ body }) => body);
    expect(bodies.filter((body) => !body.includes('"east"'))).toEqual([]);
  });

  it('continues after kill -9', async () => {
    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT 1 FROM read.customers');
    const killed = countinghouse(['projections', 'rebuild', 'customers', 'invoices'], env);
    await killed.prints('The swap waits for a query on read.');
    const busy = (await readReadModelStates(env)).models.find(({ name }) => name === 'customers')!;
    expect(busy.builds).toMatchObject([
      { purpose: 'rebuild', state: 'filled', isRunning: true, error: null },
    ]);
    await expect(rebuild(['customers'])).rejects.toThrow('is being rebuilt or verified by another process');

    for (const { pid } of await descendantsOf(killed.child.pid!)) process.kill(pid, 'SIGKILL');
    expect(await killed.ended).toBe(137);
    await reader.query('COMMIT');
    reader.release();
    // Only a continued rebuild has this row.
    await pool.query(
      `UPDATE read_next.customers SET state = jsonb_set(state, '{name}', '"made before"') WHERE id = 'north'`,
    );
    await untilLeft();
    expect(describeReadModelStates(await readReadModelStates(env))).toMatch(
      /^customers .* live; rebuilt to \d+, not swapped$/m,
    );

    const { from, events, swapped } = await rebuild(['customers', 'invoices']);
    expect(said).toContain(`Continuing after position ${from}\n`);
    expect({ events, swapped }).toEqual({ events: 0, swapped: ['customers', 'invoices'] });
    const { differences, ...found } = await verify('customers');
    expect(differences).toBe(1);
    expect(describeReadModelsVerification({ differences, ...found })).toContain(
      'state.name is "made before" and must be "north"',
    );
    await rebuild(['customers'], { afresh: true });
  });

  it.each([
    [[], {}, 'Give the names of read models, or --all; there are '],
    [['custmers'], {}, 'There is no read model "custmers"; there are '],
    [['customers'], { all: true }, 'Give --all or names of read models, but not both: "customers"'],
  ])('says in a line what is wrong with %j %j', async (names, options, message) => {
    await expect(rebuild(names, options)).rejects.toThrow(message);
    await expect(rebuild(names, options)).rejects.toThrow(CliError);
  });
});

describe('countinghouse projections list and status', () => {
  it('show version, position, lag, size and state of each', async () => {
    await settle(workspace);
    await untilRead(system);
    const state = await readReadModelStates(env);
    expect(areReadModelsKeptCurrent(state)).toBe(true);
    const head = (await recordedEvents(system.node.url)).at(-1)!.position.commit;
    for (const { version, ownVersion, position, lag, builds } of state.models) {
      expect({ version, position, lag, builds }).toEqual({
        version: ownVersion,
        position: head,
        lag: { positions: 0, seconds: 0 },
        builds: [],
      });
    }
    const list = countinghouse(['projections', 'list'], env);
    expect(await list.ended).toBe(0);
    expect(list.output.text).toMatch(
      new RegExp(`^customers +\\d+ +${head} +0 +0\\.0 +[\\d.]+ KiB +[\\d.]+ KiB +live$`, 'm'),
    );
    expect(list.output.text).toContain('A projector is at work\n');
  });
});

describe('a handler that fails', () => {
  it('stops a rebuild, which names the event and its stream, and does not change the live read model', async () => {
    await system.projector.close();
    const stream = `customer-${workspace.workspaceId}.nobody`;
    const client = EventStoreDBClient.connectionString(system.node.url);
    await client.appendToStream(
      stream,
      jsonEvent({
        type: 'DefaultPaymentMethodChanged',
        data: { customerId: 'nobody', paymentMethodId: 'pm_1' },
        metadata: {
          workspaceId: workspace.workspaceId,
          occurredAt: '2026-03-01T00:00:00.000Z',
          correlationId: 'request-1',
          schemaVersion: 1,
        },
      }),
    );
    await client.dispose();
    const position = (await recordedEvents(system.node.url)).at(-1)!.position.commit;
    const before = (await workspace.http.get('/v1/customers').expect(200)).body as object;

    const failure = `Projection "customers" failed at DefaultPaymentMethodChanged of ${stream} at position ${position}: `;
    await expect(rebuild(['customers'])).rejects.toThrow(failure);
    await expect(rebuild(['customers'])).rejects.toThrow(
      'Each live read model is unchanged, or was already replaced as a whole.',
    );
    expect((await workspace.http.get('/v1/customers').expect(200)).body).toEqual(before);

    const status = countinghouse(['projections', 'status'], env);
    expect(await status.ended).toBe(1);
    expect(status.output.text).toMatch(new RegExp(`^customers .* live; rebuild failed at \\d+$`, 'm'));
    expect(status.output.text).toContain(failure);
    expect(status.output.text).toContain('No projector is at work');
  });
});

/** Waits until Postgres has noticed that the process with the locks has ended. */
async function untilLeft(): Promise<void> {
  for (;;) {
    const { models } = await readReadModelStates(env);
    if (models.every(({ builds }) => builds.every(({ isRunning }) => !isRunning))) return;
  }
}

async function rebuild(
  names: string[],
  options: RebuildReadModelsOptions = {},
): Promise<ReadModelsRebuildResult> {
  said = '';
  return rebuildReadModels(names, options, env, output);
}

async function verify(...names: string[]): Promise<ReadModelsVerification> {
  said = '';
  return verifyReadModels(names, { max: 20, ...(names.length === 0 ? { all: true } : {}) }, env, output);
}

async function numberOf(sql: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(sql);
  return rows[0]!.n;
}

/** Bills three customers for January and February. A webhook endpoint receives the events. */
async function billTwoMonths(): Promise<void> {
  await workspace.session.post('/v1/webhooks', { url: receiver.url }).expect(201);
  await freezeClock(workspace, '2026-01-01T00:00:00.000Z');
  planId = await createPlan(workspace, fee('Platform', 20, { cadence: 'monthly' }));
  for (const id of ['north', 'south', 'west']) await subscribe(workspace, planId, { id, name: id });
  await workspace.http
    .post('/v1/customers/north/payment-methods', { type: 'test', test: 'pm_card_visa' })
    .expect(201);
  await advanceClock(workspace, '2026-03-01T00:00:00.000Z');
}

const output = {
  isTTY: false,
  write: (text: string) => {
    said += text;
    return true;
  },
} as unknown as NodeJS.WriteStream;
