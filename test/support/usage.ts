import type pg from 'pg';
import type { Instant } from '#libs/kernel/core';
import {
  ChargeDirectory,
  CustomerDirectory,
  GatedUsageLog,
  MetricDirectory,
  SqlMetrics,
  UnmatchedUsageStore,
  UsageGate,
  UsageIngest,
  UsageMeters,
  type ChargeTest,
  type CountingRulesByEventName,
  type GateConditions,
} from '#libs/usage';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { AppendNotifier } from '../../libs/usage/append-notifications.js';
import { LogNameNumbers } from '../../libs/usage/ingest/log-name-numbers.js';
import { UsageLog } from '../../libs/usage/ingest/usage-log.js';
import { LogHead } from '../../libs/usage/log-head.js';
import { MeterStore } from '../../libs/usage/meters/meter-store.js';
import { createMigratedDatabase, createPool, type TestDatabase } from './database.js';

/** Knows every customer but `nobody`. */
class AnyCustomer extends CustomerDirectory {
  async findMissingIds(_workspaceId: string, customerIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    return new Set([...customerIds].filter((id) => id === 'nobody'));
  }
}

/** Knows no metric. */
class NoMetrics extends MetricDirectory {
  async countingRulesOf(): Promise<CountingRulesByEventName> {
    return new Map();
  }
}

/** Everything is charged. */
class EverythingCharged extends ChargeDirectory {
  async chargeTestFor(): Promise<ChargeTest> {
    return () => true;
  }
}

/** Nothing limits usage. */
class NoGate extends UsageGate {
  async conditionsFor(): Promise<GateConditions> {
    return { claimsOf: undefined };
  }

  forget(): void {}

  async lockClaims(): Promise<never> {
    throw new Error('Nothing has claims');
  }
}

/** Usage as one process has it: with connections, names and groups of its own. */
export interface UsageProcess {
  readonly pool: pg.Pool;
  readonly log: UsageLog;
  readonly ingest: UsageIngest;
  readonly head: LogHead;
  readonly meters: MeterStore;
  readonly measure: UsageMeters;
  stop(): Promise<void>;
}

/** A process on the database. `meters` may come from a test's own class. */
export function usageProcess(
  url: string,
  makeMeters: (pool: pg.Pool) => MeterStore = (pool) => new MeterStore(pool),
): UsageProcess {
  const pool = createPool({ url }, 10);
  const names = new LogNameNumbers(pool);
  const notifier = new AppendNotifier(pool);
  const log = new UsageLog(pool, names, notifier);
  const gate = new NoGate();
  const head = new LogHead(pool);
  const meters = makeMeters(pool);
  return {
    pool,
    log,
    head,
    meters,
    ingest: new UsageIngest(
      log,
      new GatedUsageLog(pool, names, notifier, gate),
      gate,
      new WorkspaceClock(pool),
      new AnyCustomer(),
      new NoMetrics(),
      new EverythingCharged(),
      new UnmatchedUsageStore(pool),
    ),
    measure: new UsageMeters(pool, meters, head, new SqlMetrics(pool)),
    stop: () => pool.end(),
  };
}

/** A migrated database with one process on it, and workspaces whose clocks stand still. */
export async function startUsage(): Promise<{
  database: TestDatabase;
  usage: UsageProcess;
  workspace(now: Instant): Promise<string>;
  stop(): Promise<void>;
}> {
  const database = await createMigratedDatabase();
  const usage = usageProcess(database.url);
  const clock = new WorkspaceClock(usage.pool);
  let count = 0;
  return {
    database,
    usage,
    async workspace(now) {
      const workspaceId = `acc_${++count}`;
      await clock.create(workspaceId, 'sandbox');
      await clock.freezeAt(workspaceId, now);
      return workspaceId;
    },
    async stop() {
      await usage.stop();
      await database.drop();
    },
  };
}

/** Resolves when `sessions` sessions of the database wait for a lock. */
export async function untilWaiting(pool: pg.Pool, sessions: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ waiting: string }>(
      `SELECT count(DISTINCT l.pid) AS waiting FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE NOT l.granted AND a.datname = current_database()`,
    );
    if (Number(rows[0]!.waiting) >= sessions) return;
  }
}
