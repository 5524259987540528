import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { startUsage, usageProcess, type UsageProcess } from '../../../../test/support/usage.js';
import type { Watermark } from '../../log-head.js';
import type { Aggregation } from '../definition.js';
import { MeterStore } from '../meter-store.js';
import type { Meter } from '../meter.js';
import { MeterFoldFailed, MeterRebuild, MetersBusy, type MeterBuildOptions } from './meter-rebuild.js';
import { MeterVerification } from './meter-verification.js';
import { dropOldMeters } from './old-meters.js';

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace('2026-03-10T12:00:00.000Z');
  for (let n = 0; n < 10; n++) await send(n);
  await measured();
});

describe('a rebuild of meters', () => {
  it('has the same result, is used from then on, and keeps the old meters until they are dropped', async () => {
    const before = await measured();
    expect(await rebuildBy()).toEqual({ meters: 4, events: 40 });
    expect(await roles()).toEqual({ live: 4, old: 4 });
    expect(await measured()).toEqual(before);
    expect(await dropOldMeters(usage.pool, workspaceId)).toBe(4);
    expect(await roles()).toEqual({ live: 4 });
    await send(10);
    expect((await measured())[0]).toMatchObject({ groups: [{ quantity: '11' }] });
  });

  it('corrects an hour that was changed', async () => {
    const before = await measured();
    await usage.pool.query(
      'UPDATE usage.rollups SET quantity = 1000, events = 7 WHERE meter_id IN (SELECT id FROM usage.meters)',
    );
    expect(await measured()).not.toEqual(before);
    await rebuildBy();
    expect(await measured()).toEqual(before);
  });

  it('continues at its last position after its process ended', async () => {
    class InSmallParts extends MeterStore {
      override readonly eventsPerFold = 3;
    }
    await withProcess(
      (pool) => new InSmallParts(pool),
      async (process) => {
        const crash = new Error('the process was killed');
        let parts = 0;
        const folded = (): void => {
          if (++parts === 2) throw crash;
        };
        await expect(rebuildBy(process, { onFolded: folded })).rejects.toThrow('the process was killed');
        expect(await roles()).toEqual({ live: 4, next: 4 });
        let left = 0;
        await rebuildBy(process, { onBegin: (events) => (left = events) });
        // Two parts of three events were already folded.
        expect(left).toBe(34);
      },
    );
    expect((await verify()).map(({ differences }) => differences)).toEqual([0, 0, 0, 0]);
  });

  it('does not change the meters if events cannot be folded, and names the events', async () => {
    class Failing extends MeterStore {
      override async foldNext(): Promise<boolean> {
        throw new RangeError('value out of range');
      }
    }
    const before = await measured();
    await withProcess(
      (pool) => new Failing(pool),
      async (process) => {
        await expect(rebuildBy(process)).rejects.toThrow(MeterFoldFailed);
        await expect(rebuildBy(process)).rejects.toThrow(
          `The count of "call" of ${workspaceId} failed after position 0 of the usage log: value out of range`,
        );
      },
    );
    expect(await measured()).toEqual(before);
    expect(await roles()).toMatchObject({ live: 4 });
  });

  it('does not disturb measurements that have looked up the old meter, even after it is dropped', async () => {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    class Held extends MeterStore {
      override async catchUp(meter: Meter, head: Watermark): Promise<void> {
        await super.catchUp(meter, head);
        arrived.resolve();
        await released.promise;
      }
    }
    const before = await measured();
    await withProcess(
      (pool) => new Held(pool),
      async (process) => {
        const measuring = measured(process);
        await arrived.promise;
        await rebuildBy();
        await dropOldMeters(usage.pool, workspaceId);
        released.resolve();
        expect(await measuring).toEqual(before);
      },
    );
  });

  it('runs only once at a time', async () => {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    class Held extends MeterStore {
      override async foldNext(...args: Parameters<MeterStore['foldNext']>): Promise<boolean> {
        arrived.resolve();
        await released.promise;
        return super.foldNext(...args);
      }
    }
    await withProcess(
      (pool) => new Held(pool),
      async (process) => {
        const first = rebuildBy(process);
        await arrived.promise;
        await expect(rebuildBy()).rejects.toThrow(MetersBusy);
        released.resolve();
        await first;
      },
    );
  });
});

describe('a verification of meters', () => {
  it('finds nothing without changes, and leaves nothing behind', async () => {
    expect(await verify()).toEqual([
      { aggregation: 'count', hours: 4, differences: 0, first: [] },
      { aggregation: 'sum', hours: 4, differences: 0, first: [] },
      { aggregation: 'max', hours: 4, differences: 0, first: [] },
      { aggregation: 'count_distinct', hours: 4, differences: 0, first: [] },
    ]);
    expect(await roles()).toEqual({ live: 4 });
  });

  it('names an hour that was changed, and a missing one', async () => {
    const ofType = `meter_id = (SELECT m.id FROM usage.meters m JOIN usage.streams s ON s.id = m.stream_id
      WHERE s.workspace_id = '${workspaceId}' AND aggregation ->> 'type' = $1)`;
    await usage.pool.query(
      `UPDATE usage.rollups SET quantity = 9 WHERE ${ofType} AND hour = '2026-03-09T01:00:00Z'`,
      ['sum'],
    );
    await usage.pool.query(`DELETE FROM usage.rollups WHERE ${ofType} AND hour = '2026-03-09T02:00:00Z'`, [
      'count',
    ]);
    const [count, sum, max] = await verify();
    expect(count).toMatchObject({
      differences: 1,
      first: [
        {
          customerId: 'cust_a',
          hour: '2026-03-09 02:00:00+00',
          live: null,
          expected: '2 events, 0 skipped, quantity 2',
        },
      ],
    });
    expect(sum).toMatchObject({
      differences: 1,
      first: [
        {
          hour: '2026-03-09 01:00:00+00',
          live: '3 events, 0 skipped, quantity 9',
          expected: '3 events, 0 skipped, quantity 1.5',
        },
      ],
    });
    expect(max!.differences).toBe(0);
  });
});

/** Sends event number `n`. */
async function send(n: number): Promise<void> {
  const properties = { n: n / 10, g: n % 2 === 0 ? 'even' : 'odd', user: `u${n % 3}` };
  const timestamp = `2026-03-09T0${n % 4}:30:00Z`;
  await usage.ingest.ingest(
    workspaceId,
    [{ customerId: 'cust_a', eventName: 'call', timestamp, properties }],
    'test',
  );
}

const MONTH = { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z' };
const AGGREGATIONS: Aggregation[] = [
  { type: 'count' },
  { type: 'sum', property: 'n' },
  { type: 'max', property: 'n', groupBy: ['g'] },
  { type: 'count_distinct', property: 'user', groupBy: ['g'] },
];

/** What the meters of each aggregation measure in March. */
async function measured({ measure } = usage): Promise<object[]> {
  const measurements = [];
  for (const aggregation of AGGREGATIONS) {
    const definition = { metricId: 'met_1', version: 1, workspaceId, eventName: 'call', aggregation };
    const { groups, events } = await measure.measure({ definition, customerId: 'cust_a', ...MONTH });
    measurements.push({ groups, events });
  }
  return measurements;
}

function options(more: Partial<MeterBuildOptions> = {}): MeterBuildOptions {
  const nothing = (): void => undefined;
  return { workspaceId, signal: new AbortController().signal, onBegin: nothing, onFolded: nothing, ...more };
}

function rebuildBy({ pool, meters, head } = usage, more: Partial<MeterBuildOptions> = {}) {
  return new MeterRebuild(pool, meters, head).run(options(more));
}

async function verify() {
  const { pool, meters, head } = usage;
  const all = await new MeterVerification(pool, meters, head).run(20, options());
  return all.map(({ aggregation, hours, differences, first }) => ({
    aggregation,
    hours,
    differences,
    first,
  }));
}

/** The number of meters of the workspace, by role. */
async function roles(): Promise<Record<string, number>> {
  const { rows } = await usage.pool.query<{ role: string; count: number }>(
    `SELECT role, count(*)::int AS count FROM usage.meters m JOIN usage.streams s ON s.id = m.stream_id
     WHERE s.workspace_id = $1 GROUP BY role ORDER BY role`,
    [workspaceId],
  );
  return Object.fromEntries(rows.map(({ role, count }) => [role, count]));
}

/** Runs work on a process whose meters use a class of the test. */
async function withProcess<T>(
  makeMeters: (pool: pg.Pool) => MeterStore,
  work: (process: UsageProcess) => Promise<T>,
): Promise<T> {
  const process = usageProcess(world.database.url, makeMeters);
  try {
    return await work(process);
  } finally {
    await process.stop();
  }
}
