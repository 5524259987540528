import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { Decimal } from '#libs/kernel/core';
import type { EventFeed } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import type { ReadModelProgress } from '#libs/kernel/projection';
import { personalDataErasers } from '#libs/manifest';
import { AppendNotifier, GatedUsageLog, LogNameNumbers, type ClaimingRow } from '#libs/usage';
import { createPool } from '../../../../test/support/index.js';
import { startUsage, untilWaiting, usageProcess, type UsageProcess } from '../../../../test/support/usage.js';
import { markCountersOutdated, readCounters } from './counter-rows.js';
import type { CustomerCalendars } from './customer-calendars.js';
import type { LimitClaim } from './limit-claims.js';
import { counterKeyOf, LimitCounters } from './limit-counters.js';
import { LimitGate } from './limit-gate.js';
import type { LimitRules } from './limit-rules.js';
import type { MovedPeriodFinder } from './moved-period-finder.js';
import { WindowMover } from './window-mover.js';
import type { CustomerLimitWindow } from './notices.js';

const NOW = '2026-03-10T12:00:00.000Z';
const DAY = { start: '2026-03-10T00:00:00.000Z', end: '2026-03-11T00:00:00.000Z' };

let world: Awaited<ReturnType<typeof startUsage>>;
let usage: UsageProcess;
let holders: Pool;
let workspaceId: string;

beforeAll(async () => {
  world = await startUsage();
  usage = world.usage;
  holders = createPool(world.database, 2);
});
afterAll(async () => {
  await holders?.end();
  await world?.stop();
});
beforeEach(async () => {
  workspaceId = await world.workspace(NOW);
});

/** The use of a limit on distinct users by a customer on one day. */
const useOf = (customerId: string, workspace = workspaceId): CustomerLimitWindow => ({
  workspaceId: workspace,
  customerId,
  window: DAY,
  at: NOW,
  rule: {
    limitId: 'lim',
    customerId: null,
    limit: '10',
    per: 'day',
    action: 'block',
    warnAt: [],
    metric: {
      metricId: 'met',
      version: 1,
      workspaceId: workspace,
      eventName: 'call',
      aggregation: { type: 'count_distinct', property: 'user' },
    },
  },
});
const usedOf = async (use: CustomerLimitWindow) => (await readCounters(usage.pool, [counterKeyOf(use)]))[0];

let count = 0;
const row = (customerId: string, user: string) => ({
  workspaceId,
  customerId,
  eventName: 'call',
  timestamp: NOW,
  id: `use_${++count}`,
  idempotencyKey: undefined,
  properties: JSON.stringify({ user }),
  source: 'test',
});
const claimed = (use: CustomerLimitWindow, user: string): ClaimingRow => {
  const claim: LimitClaim = { ...use, value: new Decimal(1), distinct: user.padStart(32, '0') };
  return { ...row(use.customerId, user), claims: [claim], now: NOW };
};

/** A process that counts by limits. */
function limitsIn({ pool, measure }: UsageProcess) {
  const counters = new LimitCounters(pool, measure);
  const gate = new LimitGate({} as LimitRules, {} as CustomerCalendars, counters);
  return { counters, log: new GatedUsageLog(pool, new LogNameNumbers(pool), new AppendNotifier(pool), gate) };
}

/** What changes windows, in a workspace with a limit per day. */
async function movedWindows(head = async (): Promise<undefined> => undefined): Promise<WindowMover> {
  await usage.pool.query(
    `INSERT INTO limits.rules (workspace_id, limit_id, metric_id, rule) VALUES ($1, 'lim', 'met', $2)`,
    [workspaceId, useOf('any').rule],
  );
  return new WindowMover(
    usage.pool,
    {} as ReadModelProgress,
    { readHead: head } as unknown as EventFeed,
    {} as MovedPeriodFinder,
  );
}

/** Locks rows until the returned function is called. */
async function hold(table: string, workspace = workspaceId): Promise<() => Promise<void>> {
  const holder = await holders.connect();
  await holder.query('BEGIN');
  await holder.query(`SELECT FROM ${table} WHERE workspace_id = $1 FOR UPDATE`, [workspace]);
  let held = true;
  return async () => {
    if (!held) return;
    held = false;
    await holder.query('COMMIT');
    holder.release();
  };
}

/** A counter of distinct values that is being counted again. The count goes on when `end` is called. */
async function longCount() {
  const use = useOf('cust_a');
  const { counters } = limitsIn(usage);
  await usage.log.append([row('cust_a', 'ada')]);
  await counters.countFromLog([use]);
  await inTransaction(usage.pool, (tx) => markCountersOutdated(tx, { workspaceId }));
  const release = await hold('limits.distinct_values');
  const counting = counters.countFromLog([use]);
  await untilWaiting(holders, 1);
  return {
    use,
    end: async () => {
      await release();
      await counting;
    },
  };
}

describe('a long count of distinct values', () => {
  it('delays only usage of its own counter, in whatever process', async () => {
    const { use, end } = await longCount();
    const other = usageProcess(world.database.url);
    try {
      const appending = limitsIn(other).log.append([claimed(use, 'b')]);
      await untilWaiting(holders, 2);
      await usage.head.read();
      await other.log.append([row('cust_b', 'ada')]);
      expect(await usedOf(use)).toMatchObject({ metricVersion: 0 });
      await end();
      expect((await appending).size).toBe(0);
      expect(await usedOf(use)).toMatchObject({ metricVersion: 1, used: '2' });
    } finally {
      await end();
      await other.stop();
    }
  });

  it('delays a change of windows, which then blocks no usage', async () => {
    const { use, end } = await longCount();
    const windows = await movedWindows();
    try {
      for (const spans of [['day'], ['period']] as const)
        await expect(
          windows.apply(workspaceId, { customerId: 'cust_a', windowKinds: spans }),
        ).rejects.toMatchObject({
          code: 'too_many_at_work',
        });
      await usage.log.append([row('cust_b', 'ada')]);
      await end();
      await windows.apply(workspaceId, { customerId: 'cust_a', windowKinds: ['day'] });
      expect(await usedOf(use)).toMatchObject({ metricVersion: 0 });
    } finally {
      await end();
    }
  });

  it('delays no change of the windows of other customers', async () => {
    const { end } = await longCount();
    const windows = await movedWindows();
    try {
      const moves = ['cust_b', 'cust_a', 'cust_c'].map(async (customerId) =>
        windows.apply(workspaceId, { customerId, windowKinds: ['day'] }),
      );
      expect((await Promise.allSettled(moves)).map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
    } finally {
      await end();
    }
  });
});

describe('the windows of many customers', () => {
  it('change together, so that usage is prepared again once', async () => {
    const held = Promise.withResolvers<undefined>();
    const windows = await movedWindows(() => held.promise);
    const uses = Array.from({ length: 20 }, (_, i) => useOf(`cust_${i}`));
    await limitsIn(usage).counters.countFromLog(uses);
    const moves = uses.map(async ({ customerId }) =>
      windows.apply(workspaceId, { customerId, windowKinds: ['day'] }),
    );
    // The first change is held, and all others have come when no query runs.
    const { pool } = usage;
    do await setImmediate();
    while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount);
    held.resolve(undefined);
    await Promise.all(moves);
    const { rows } = await usage.pool.query(
      'SELECT version::int FROM usage.gate_versions WHERE workspace_id = $1',
      [workspaceId],
    );
    expect(rows[0].version).toBeLessThanOrEqual(2);
    for (const use of uses) expect(await usedOf(use)).toMatchObject({ metricVersion: 0 });
  });
});

describe('an erasure', () => {
  it('leaves no digest of a value of the customer, and keeps those of other customers', async () => {
    for (const customerId of ['cust_a', 'cust_b'])
      await usage.log.append([row(customerId, 'ada@example.com')]);
    await limitsIn(usage).counters.countFromLog([useOf('cust_a'), useOf('cust_b')]);
    const [eraser] = personalDataErasers()
      .filter(({ name }) => name === 'CountersEraser')
      .map((Eraser) => new Eraser(usage.pool));
    await eraser?.erase({ workspaceId, customerId: 'cust_a', ids: new Set(['cust_a']), position: 1n });
    const { rows } = await usage.pool.query(
      `SELECT customer_id FROM limits.distinct_values
       WHERE workspace_id = $1 AND value = substring(sha256('ada@example.com') FOR 16)`,
      [workspaceId],
    );
    expect(rows).toEqual([{ customer_id: 'cust_b' }]);
  });
});

describe('many counts of one workspace', () => {
  it('leave slots for the counts of others', async () => {
    const busy = Array.from({ length: 12 }, (_, i) => useOf(`cust_${i}`));
    const { counters } = limitsIn(usage);
    await counters.countFromLog(busy);
    await inTransaction(usage.pool, (tx) => markCountersOutdated(tx, { workspaceId }));
    const release = await hold('limits.counters');
    const counting = counters.countFromLog(busy);
    try {
      const other = useOf('cust', await world.workspace(NOW));
      await counters.countFromLog([other]);
      expect(await usedOf(other)).toMatchObject({ used: '0', metricVersion: 1 });
    } finally {
      await release();
      await counting;
    }
    for (const use of busy) expect(await usedOf(use)).toMatchObject({ used: '0', metricVersion: 1 });
  });
});
