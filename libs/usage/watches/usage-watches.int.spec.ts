import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '#libs/postgres';
import { startUsage, type UsageProcess } from '../../../test/support/usage.js';
import type { MeterAggregation } from '../meters/definition.js';
import { UsageWatches } from './usage-watches.js';

const NOW = '2026-03-10T12:00:00.000Z';

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let watches: UsageWatches;
let accountId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
  watches = new UsageWatches(usage.pool, usage.meters, usage.head);
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  accountId = await world.workspace(NOW);
  await inTransaction(usage.pool, (tx) => watches.take(tx, 1_000));
});

const watch = (customerId: string, watcher: string) => ({ accountId, customerId, watcher });
const send = async (customerId: string, properties: object = { n: 1 }, eventName = 'call') => {
  const event = { customerId, eventName, timestamp: '2026-03-09T10:00:00Z', properties };
  const { rejected } = await usage.ingest.ingest(accountId, [event], 'test');
  expect(rejected).toEqual([]);
};
/** Folds all that a meter has to. */
const fold = async (aggregation: MeterAggregation = { type: 'sum', property: 'n' }) => {
  const definition = { metricId: 'met_1', version: 1, accountId, eventName: 'call', aggregation };
  await usage.meters.catchUp(await usage.meters.ensure(definition), await usage.head.read());
};
const take = async () =>
  (await inTransaction(usage.pool, (tx) => watches.take(tx, 10))).map(({ watcher }) => watcher);

describe('usage that is watched', () => {
  it('is told of once, until its watcher has looked', async () => {
    await watches.begin(watch('cust_a', 'sub_1'));
    await watches.begin(watch('cust_a', 'sub_2'));
    await watches.begin(watch('cust_b', 'sub_3'));
    await send('cust_a');
    await send('cust_c');
    expect(await take()).toEqual([]);
    await fold();
    expect((await take()).sort()).toEqual(['sub_1', 'sub_2']);
    await send('cust_a');
    await fold();
    // Both are still to look.
    expect(await take()).toEqual([]);
    await watches.begin(watch('cust_a', 'sub_2'));
    expect(await take()).toEqual(['sub_2']);
    await watches.end(watch('cust_a', 'sub_2'));
    await watches.begin(watch('cust_a', 'sub_1'));
    expect(await take()).toEqual(['sub_1']);
    expect(await take()).toEqual([]);
  });

  it.each<MeterAggregation>([
    { type: 'count' },
    { type: 'max', property: 'n' },
    { type: 'count_distinct', property: 'n', groupBy: ['n'] },
    { type: 'sum', property: 'n', groupBy: ['region'], filter: { kind: 'read' } },
  ])('is told of whatever is counted, and only where it is: %j', async (aggregation) => {
    await watches.begin(watch('cust_a', 'sub_1'));
    await send('cust_a', { n: 1, region: 'eu', kind: 'read' });
    await fold(aggregation);
    expect(await take()).toEqual(['sub_1']);
    await watches.begin(watch('cust_a', 'sub_1'));
    await send('cust_a', { kind: 'write' }, 'other');
    await fold(aggregation);
    expect(await take()).toEqual([]);
  });

  it('is folded and told of, all that a workspace has, when it is asked for', async () => {
    expect(await watches.fold(accountId)).toBe(false);
    await watches.begin(watch('cust_a', 'sub_1'));
    await send('cust_a');
    await fold();
    expect(await take()).toEqual(['sub_1']);
    await send('cust_a');
    expect(await watches.fold(accountId)).toBe(true);
    const all = await inTransaction(usage.pool, (tx) => watches.takeAll(tx, accountId));
    expect(all).toEqual([{ accountId, watcher: 'sub_1' }]);
  });

  it('is folded without waiting for who is just being told, who looks after that', async () => {
    await watches.begin(watch('cust_a', 'sub_1'));
    await send('cust_a');
    await fold();
    await inTransaction(usage.pool, async (tx) => {
      expect(await watches.take(tx, 10)).toHaveLength(1);
      await send('cust_a');
      // This would wait for ever.
      await fold();
    });
    await watches.begin(watch('cust_a', 'sub_1'));
    // Not told of, as whoever looks now counts it.
    expect(await take()).toEqual([]);
  });
});
