import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { addSeconds } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { inTransaction } from '#libs/kernel/postgres';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { startUsage, type UsageProcess } from '../../../test/support/usage.js';
import type { Aggregation, MetricDefinition } from '../meters/definition.js';
import { UsageEventQueries } from '../queries/usage-event-queries.js';
import { countingRuleOf, uncountedReasonsOf } from './counting-rules.js';
import {
  UnmatchedUsageStore,
  type UnmatchedUsageToReport,
  type UsageReportKey,
} from './unmatched-usage-store.js';
import { UnmatchedTally } from './unmatched-tally.js';

const NOW = '2026-03-10T12:00:00.000Z';

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  workspaceId = await world.workspace(NOW);
});

describe('the list of uncounted events', () => {
  const value = fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom('3', '0.30', 'many', null, true, '', 1.5, [1], { u: 1 }),
  );
  const event = fc.record({
    eventName: fc.constantFrom('call', 'seen', 'mistyped'),
    properties: fc.record(
      { n: value, o: fc.record({ n: value }), g: fc.constantFrom('x', 'y', 1, '1', false) },
      { requiredKeys: [] },
    ),
  });
  const filter = fc.constantFrom<NonNullable<Aggregation['filter']>[]>({}, { g: 'x' }, { g: ['y', 1], n: 1 });
  const aggregation: fc.Arbitrary<Aggregation> = fc.oneof(
    fc.record({
      type: fc.constantFrom<('sum' | 'max' | 'count_distinct')[]>('sum', 'max', 'count_distinct'),
      property: fc.constantFrom('n', 'o.n', 'n.0'),
      filter,
    }),
    fc.record({ type: fc.constant('count' as const), filter }),
    fc.record({ type: fc.constant('sql' as const), sql: fc.constant('count(*)'), filter }),
  );
  const metric = fc.record({ eventName: fc.constantFrom('call', 'seen'), aggregation });

  it('contains the events with a warning, for any metrics and events', async () => {
    const list = new UsageEventQueries(usage.pool, new WorkspaceClock(usage.pool));
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 20 }),
        fc.array(metric, { maxLength: 4 }),
        async (events, metrics) => {
          workspaceId = await world.workspace(NOW);
          const sent = events.map((one) => ({ customerId: 'cust_a', ...one }));
          const { accepted } = await usage.ingest.ingest(workspaceId, sent, 'test');
          const unmatchedBy: MetricDefinition[] = metrics.map((one, i) => ({
            metricId: `met_${i}`,
            version: 1,
            workspaceId,
            ...one,
          }));
          const warned = accepted.filter((_, i) => {
            const { eventName, properties } = events[i]!;
            const named = unmatchedBy.filter((definition) => definition.eventName === eventName);
            return uncountedReasonsOf(properties, named.map(countingRuleOf)).length > 0;
          });
          const listed = await list.list({ workspaceId, part: { limit: 100, offset: 0 }, unmatchedBy });
          expect(listed.map(({ id }) => id).sort()).toEqual(warned.sort());
        },
      ),
      { numRuns: 100 },
    );
  }, 480_000);
});

describe('notes of uncounted usage', () => {
  const unmatched = (id: string, eventName = 'cal') => {
    const tally = new UnmatchedTally();
    tally.add(eventName, id, [{ code: 'no_metric' }]);
    return tally.summary();
  };
  const key = (): UsageReportKey => ({ workspaceId, kind: 'unmatched' });
  /** The note of the workspace that is due for a report now. */
  const due = (notes: UnmatchedUsageStore): Promise<UnmatchedUsageToReport | undefined> =>
    inTransaction(usage.pool, (tx) => notes.lockDueReport(tx, key()));

  it('are summed over several processes, and are written when a process ends', async () => {
    const processes = [new UnmatchedUsageStore(usage.pool), new UnmatchedUsageStore(usage.pool)];
    processes.forEach((notes, i) => notes.addUsage(key(), unmatched(`use_${i}`)));
    for (const notes of processes) await notes.beforeApplicationShutdown();
    const note = await due(processes[0]!);
    expect(note).toMatchObject({
      count: 2,
      warnings: [{ eventName: 'cal', count: 2, eventIds: ['use_0', 'use_1'] }],
    });
    expect(note!.since <= note!.until).toBe(true);
  });

  it('tell of the whole time of all processes, whichever of them is written first', async () => {
    const [early, middle, late] = [10, 20, 30].map((n) => `2026-03-10T12:00:${n}.000Z`);
    const processes = [new UnmatchedUsageStore(usage.pool), new UnmatchedUsageStore(usage.pool)];
    const now = jest.spyOn(systemClock, 'now');
    try {
      for (const [instant, i] of [
        [early, 0],
        [middle, 1],
        [late, 0],
      ] as const) {
        now.mockReturnValue(instant!);
        processes[i]!.addUsage(key(), unmatched(`use_${instant}`));
      }
    } finally {
      now.mockRestore();
    }
    // The period of the second process lies within that of the first.
    await processes[1]!.beforeApplicationShutdown();
    await processes[0]!.beforeApplicationShutdown();
    expect(await due(processes[0]!)).toMatchObject({ count: 3, since: early, until: late });
    processes[1]!.addUsage(key(), unmatched('use_later'));
    now.mockReturnValue(middle!);
    processes[1]!.addUsage(key(), unmatched('use_of_a_clock_behind'));
    now.mockRestore();
    await processes[1]!.beforeApplicationShutdown();
    expect((await due(processes[0]!))!.until > late!).toBe(true);
  });

  it('are removed after their report, and later ones wait until the next report', async () => {
    const notes = new UnmatchedUsageStore(usage.pool);
    notes.addUsage(key(), unmatched('use_1'));
    await notes.beforeApplicationShutdown();
    const told = (await due(notes))!;
    const later = addSeconds(systemClock.now(), 3_600);
    await inTransaction(usage.pool, (tx) => notes.markReported(tx, key(), later));
    notes.addUsage(key(), unmatched('use_2'));
    await notes.beforeApplicationShutdown();
    expect(await due(notes)).toBeUndefined();

    await inTransaction(usage.pool, (tx) => notes.delayReport(tx, key(), systemClock.now()));
    const next = (await due(notes))!;
    expect(next.warnings).toMatchObject([{ count: 1, eventIds: ['use_2'] }]);
    expect(next.since >= told.until).toBe(true);
  });

  it('of both kinds are kept apart, and each is sent by one process', async () => {
    const notes = new UnmatchedUsageStore(usage.pool);
    const unpriced: UsageReportKey = { workspaceId, kind: 'unpriced' };
    notes.addUsage(key(), unmatched('use_1'));
    notes.addUsage(unpriced, unmatched('use_2', 'call'));
    await notes.beforeApplicationShutdown();
    expect(await notes.dueReports(1_000)).toEqual(expect.arrayContaining([key(), unpriced]));
    await inTransaction(usage.pool, async (tx) => {
      expect(await notes.lockDueReport(tx, unpriced)).toMatchObject({
        kind: 'unpriced',
        count: 1,
        warnings: [{ eventName: 'call' }],
      });
      const second = await inTransaction(usage.pool, (other) => notes.lockDueReport(other, unpriced));
      expect(second).toBeUndefined();
      await notes.markReported(tx, unpriced, addSeconds(systemClock.now(), 3_600));
    });
    expect(await notes.dueReports(1_000)).not.toContainEqual(unpriced);
    expect(await due(notes)).toMatchObject({ count: 1, warnings: [{ eventName: 'cal' }] });
  });
});
