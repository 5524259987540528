import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { MeterRebuild, MeterVerification, type MeterBuildOptions, type MeterDefinition } from '#libs/usage';
import { startUsage } from '../../../../test/support/usage.js';
import { CustomerRecordFinder } from '../customer-record-finder.js';
import { UsagePropertiesEraser } from './usage-properties.js';

let world: Awaited<ReturnType<typeof startUsage>>;
let workspaceId: string;

beforeAll(async () => (world = await startUsage()));
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace('2026-03-10T12:00:00.000Z');
  await send('Ada');
  await measured();
});

it('erases usage that came after a rebuild of the meters, although the replaced meters are kept', async () => {
  await rebuild();
  await send('Grace');
  expect(await measured()).toBe('2');
  await erase();
  expect(await texts()).toEqual({ note: ['[erased]', '[erased]'], old: 1 });
});

it('erases usage while a rebuild is interrupted, and the rebuild then goes on', async () => {
  const stop = (): never => {
    throw new Error('the process was killed');
  };
  await expect(rebuild({ onFolded: stop })).rejects.toThrow('the process was killed');
  await send('Grace');
  await measured();
  await erase();
  await rebuild();
  expect(await measured()).toBe('2');
  const compared = await new MeterVerification(usage().pool, usage().meters, usage().head).run(1, options());
  expect(compared.map(({ differences }) => differences)).toEqual([0]);
});

it('replaces names of properties that no metric uses, and keeps their number and the numbers in them', async () => {
  await send('Ada', {
    'ada@example.com': 3,
    nested: { Ada: { deep: 'x' } },
    list: [{ 'Ada Lovelace': true }],
  });
  await measured();
  await erase();
  const { rows } = await usage().pool.query<{ properties: Record<string, unknown> }>(
    `SELECT properties FROM usage.log WHERE workspace_id = $1 AND properties::text LIKE '%3%' ORDER BY seq DESC LIMIT 1`,
    [workspaceId],
  );
  const text = JSON.stringify(rows[0]!.properties);
  expect(text).not.toMatch(/Ada|ada@/);
  expect(Object.keys(rows[0]!.properties)).toHaveLength(5);
  expect(Object.values(rows[0]!.properties)).toContain(3);
  expect(rows[0]!.properties).toHaveProperty('user');
  expect(text).toContain('true');
  // An erasure that is repeated after a crash leaves what it has replaced.
  await erase();
  const again = await usage().pool.query('SELECT properties FROM usage.log WHERE workspace_id = $1', [
    workspaceId,
  ]);
  expect(again.rows.map((row: { properties: object }) => JSON.stringify(row.properties))).toContain(text);
});

const usage = () => world.usage;

async function send(name: string, more: object = {}): Promise<void> {
  const properties = { user: name, note: name, ...more };
  const event = { customerId: 'cust_a', eventName: 'call', properties };
  await usage().ingest.ingest(workspaceId, [event], 'test');
}

/** Folds the usage into its meter, and returns the number of users. */
async function measured(): Promise<string> {
  const definition: MeterDefinition = {
    metricId: 'met_1',
    version: 1,
    workspaceId,
    eventName: 'call',
    aggregation: { type: 'count_distinct', property: 'user' },
  };
  const march = { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z' };
  const { groups } = await usage().measure.measure({ definition, customerId: 'cust_a', ...march });
  return groups[0]!.quantity;
}

function options(more: Partial<MeterBuildOptions> = {}): MeterBuildOptions {
  const nothing = (): void => undefined;
  return { workspaceId, signal: new AbortController().signal, onBegin: nothing, onFolded: nothing, ...more };
}

async function rebuild(more: Partial<MeterBuildOptions> = {}): Promise<void> {
  await new MeterRebuild(usage().pool, usage().meters, usage().head).run(options(more));
}

async function erase(): Promise<void> {
  const person = { workspaceId, customerId: 'cust_a', ids: new Set<string>(), position: 1n };
  await new UsagePropertiesEraser(usage().pool, usage().meters, new NoSqlMetrics()).erase(person);
}

/** The notes of the customer's events, and the number of replaced meters. */
async function texts(): Promise<object> {
  const { rows } = await usage().pool.query<{ note: string[]; old: number }>(
    `SELECT array_agg((SELECT p.value FROM jsonb_each_text(l.properties) p WHERE p.key <> 'user')) AS note, (
       SELECT count(*)::int FROM usage.meters m JOIN usage.streams s ON s.id = m.stream_id
       WHERE s.workspace_id = $1 AND m.role = 'old') AS old
     FROM usage.log l WHERE l.workspace_id = $1`,
    [workspaceId],
  );
  return rows[0]!;
}

class NoSqlMetrics extends CustomerRecordFinder {
  async sqlMetrics(): Promise<[]> {
    return [];
  }

  unfinishedRecords = unused;
  personalDataStreams = unused;
  uninvoicedUsageStarts = unused;
  positionReachedByAllReadModels = unused;
}

function unused(): never {
  throw new Error('not used here');
}
