import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '#libs/kernel/postgres';
import { startUsage, type UsageProcess } from '../../../test/support/usage.js';
import type { MeterAggregation } from '../meters/definition.js';
import { UsageWatchStore } from './usage-watch-store.js';

const NOW = '2026-03-10T12:00:00.000Z';

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let watches: UsageWatchStore;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
  watches = new UsageWatchStore(usage.pool, usage.meters, usage.head);
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace(NOW);
  await take();
});

const watch = (customerId: string, watcher: string) => ({ workspaceId, customerId, watcher });
const send = async (customerId: string, properties: object = { n: 1 }, eventName = 'call') => {
  const event = { customerId, eventName, timestamp: '2026-03-09T10:00:00Z', properties };
  const { rejected } = await usage.ingest.ingest(workspaceId, [event], 'test');
  expect(rejected).toEqual([]);
};
/** Folds all events of a meter. */
const fold = async (aggregation: MeterAggregation = { type: 'sum', property: 'n' }) => {
  const definition = { metricId: 'met_1', version: 1, workspaceId, eventName: 'call', aggregation };
  await usage.meters.catchUp(await usage.meters.getOrCreate(definition), await usage.head.read());
};
/** Notifies all watchers that must be notified, and returns them. */
const take = async () =>
  inTransaction(usage.pool, async (tx) => {
    const moved = await watches.lockWatchesToNotify(tx, 10);
    await watches.markNotified(tx, moved);
    return moved.map(({ watcher }) => watcher);
  });

describe('watched usage', () => {
  it('is reported once to its watchers', async () => {
    await watches.beginWatch(watch('cust_a', 'sub_1'));
    await watches.beginWatch(watch('cust_a', 'sub_2'));
    await watches.beginWatch(watch('cust_b', 'sub_3'));
    await send('cust_a');
    await send('cust_c');
    expect(await take()).toEqual([]);
    await fold();
    expect((await take()).sort()).toEqual(['sub_1', 'sub_2']);
    expect(await take()).toEqual([]);
    await watches.endWatch(watch('cust_a', 'sub_2'));
    await watches.beginWatch(watch('cust_a', 'sub_1'));
    await send('cust_a');
    await fold();
    expect(await take()).toEqual(['sub_1']);
  });

  it.each<MeterAggregation>([
    { type: 'count' },
    { type: 'max', property: 'n' },
    { type: 'count_distinct', property: 'n', groupBy: ['n'] },
    { type: 'sum', property: 'n', groupBy: ['region'], filter: { kind: 'read' } },
  ])('is reported if it is counted, and not otherwise: %j', async (aggregation) => {
    await watches.beginWatch(watch('cust_a', 'sub_1'));
    await send('cust_a', { n: 1, region: 'eu', kind: 'read' });
    await fold(aggregation);
    expect(await take()).toEqual(['sub_1']);
    await send('cust_a', { kind: 'write' }, 'other');
    await fold(aggregation);
    expect(await take()).toEqual([]);
  });

  it('is folded and reported for a whole workspace on request', async () => {
    expect(await watches.foldWatchedUsage(workspaceId)).toBe(false);
    await watches.beginWatch(watch('cust_a', 'sub_1'));
    await send('cust_a');
    await fold();
    expect(await take()).toEqual(['sub_1']);
    await send('cust_a');
    expect(await watches.foldWatchedUsage(workspaceId)).toBe(true);
    const all = await inTransaction(usage.pool, (tx) =>
      watches.lockWorkspaceWatchesToNotify(tx, workspaceId),
    );
    expect(all).toEqual([watch('cust_a', 'sub_1')]);
  });

  it('is folded without waiting for a watcher that is being notified and reads afterwards', async () => {
    await watches.beginWatch(watch('cust_a', 'sub_1'));
    await send('cust_a');
    await fold();
    await inTransaction(usage.pool, async (tx) => {
      await watches.markNotified(tx, await watches.lockWatchesToNotify(tx, 10));
      await send('cust_a');
      // This would wait forever.
      await fold();
    });
    // There is no second notification, because a watcher that reads now counts the usage.
    expect(await take()).toEqual([]);
  });
});
