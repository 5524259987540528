import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { type Instant } from '#libs/kernel/core';
import { systemClock } from '#libs/kernel/system';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { UnmatchedTally, type UnmatchedUsage } from './unmatched-tally.js';

/**
 * The interval at which findings are written from memory to the database. A crash loses the findings of at most one interval. A crash does
 * not lose the events, because they are in the usage log.
 */
const WRITE_MILLIS = 1_000;
/**
 * The maximum number of reports whose findings wait in memory to be written. This number is reached only if the database cannot be
 * reached for long. The findings of further reports are then dropped.
 */
const MAX_WAITING = 10_000;

/**
 * What is reported about usage that is on no invoice. `unmatched`: no metric counts it, or a metric skips it. `unpriced`: metrics count it,
 * and no price charges it. A workspace is notified of each kind separately.
 */
export const USAGE_REPORT_KINDS = ['unmatched', 'unpriced'] as const;
export type UsageReportKind = (typeof USAGE_REPORT_KINDS)[number];

/** Names the reports of one kind to one workspace. */
export interface UsageReportKey {
  readonly workspaceId: string;
  readonly kind: UsageReportKind;
}

/** The usage of one kind in a workspace that has not been reported to the workspace yet. */
export interface UnmatchedUsageToReport extends UsageReportKey, UnmatchedUsage {
  /** The instant at which the first of the events was received, by the machine's clock. */
  readonly since: Instant;
  /** The instant at which the last of the events was received, by the machine's clock. */
  readonly until: Instant;
}

interface Waiting extends UsageReportKey {
  readonly tally: UnmatchedTally;
  since: Instant;
  until: Instant;
}

interface Row extends Omit<UnmatchedUsageToReport, 'count' | 'since' | 'until'> {
  readonly count: string;
  readonly since: Instant | null;
  readonly until: Instant | null;
}

const FIELDS = 'workspace_id AS "workspaceId", kind, since, until, count, warnings';

/**
 * Collects uncounted and unpriced usage, about which another service notifies the workspaces. The usage is summed in memory and written
 * about once a second, so that ingestion does not wait for the database. Each workspace has one row of each kind in the database, which
 * also contains the earliest instant of the next report.
 */
@Injectable()
export class UnmatchedUsageStore implements BeforeApplicationShutdown {
  private waiting = new Map<string, Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly pool: Pool) {}

  /** Records the uncounted or unpriced usage of events that were just stored. */
  addUsage(key: UsageReportKey, usage: UnmatchedUsage): void {
    const now = systemClock.now();
    this.add(key, usage, now, now);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.writing = this.write();
    }, WRITE_MILLIS).unref();
  }

  /** Writes the waiting findings before the pool closes. */
  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.writing;
    await this.write();
  }

  /** Returns the keys of up to `limit` reports that are due, the earliest first. */
  async dueReports(limit: number): Promise<UsageReportKey[]> {
    const { rows } = await this.pool.query<UsageReportKey>(
      `SELECT workspace_id AS "workspaceId", kind FROM usage.unmatched WHERE count > 0 AND due_at <= now()
       ORDER BY due_at LIMIT $1`,
      [limit],
    );
    return rows;
  }

  /**
   * Returns the usage of a report, if the report is still due and no other process sends it. Until the transaction ends, no other process
   * sends it, and no further usage is added to it.
   */
  async lockDueReport(tx: Queryable, key: UsageReportKey): Promise<UnmatchedUsageToReport | undefined> {
    const { rows } = await tx.query<Row>(
      `SELECT ${FIELDS} FROM usage.unmatched
       WHERE workspace_id = $1 AND kind = $2 AND count > 0 AND due_at <= now() FOR UPDATE SKIP LOCKED`,
      [key.workspaceId, key.kind],
    );
    const [row] = rows;
    // A row with a count has both instants.
    return row && { ...row, since: row.since!, until: row.until!, count: Number(row.count) };
  }

  /** Records that a workspace was notified of all recorded usage of a kind. It can be notified again from the instant `dueAt`. */
  async markReported(tx: Queryable, { workspaceId, kind }: UsageReportKey, dueAt: Instant): Promise<void> {
    await tx.query(
      `UPDATE usage.unmatched SET count = 0, warnings = '[]', since = NULL, until = NULL, due_at = $3
       WHERE workspace_id = $1 AND kind = $2`,
      [workspaceId, kind, dueAt],
    );
  }

  /** Records that a workspace must not be notified of a kind before `dueAt`. */
  async delayReport(db: Queryable, { workspaceId, kind }: UsageReportKey, dueAt: Instant): Promise<void> {
    await db.query('UPDATE usage.unmatched SET due_at = $3 WHERE workspace_id = $1 AND kind = $2', [
      workspaceId,
      kind,
      dueAt,
    ]);
  }

  private add(
    { workspaceId, kind }: UsageReportKey,
    usage: UnmatchedUsage,
    since: Instant,
    until: Instant,
  ): void {
    const id = idOf({ workspaceId, kind });
    let waiting = this.waiting.get(id);
    if (waiting === undefined) {
      if (this.waiting.size >= MAX_WAITING) return;
      waiting = { workspaceId, kind, tally: new UnmatchedTally(), since, until };
      this.waiting.set(id, waiting);
    }
    waiting.tally.addAll(usage);
    waiting.since = earlier(waiting.since, since);
    waiting.until = later(waiting.until, until);
  }

  /** Findings that cannot be written are kept for the next attempt. */
  private async write(): Promise<void> {
    if (this.waiting.size === 0) return;
    const taken = this.waiting;
    this.waiting = new Map();
    try {
      await inTransaction(this.pool, (tx) => merge(tx, taken));
    } catch {
      for (const { workspaceId, kind, tally, since, until } of taken.values())
        this.add({ workspaceId, kind }, tally.summary(), since, until);
    }
  }
}

/** Adds the findings to the stored rows of the workspaces. */
async function merge(tx: Queryable, taken: ReadonlyMap<string, Waiting>): Promise<void> {
  const waiting = [...taken.values()];
  const keys = [waiting.map(({ workspaceId }) => workspaceId), waiting.map(({ kind }) => kind)];
  await tx.query(
    `INSERT INTO usage.unmatched (workspace_id, kind) SELECT * FROM unnest($1::text[], $2::text[]) ORDER BY 1, 2
     ON CONFLICT DO NOTHING`,
    keys,
  );
  const { rows } = await tx.query<Row>(
    `SELECT ${FIELDS} FROM usage.unmatched
     WHERE (workspace_id, kind) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY workspace_id, kind FOR UPDATE`,
    keys,
  );
  const merged = rows.map(({ workspaceId, kind, count, warnings, since, until }) => {
    const { tally, ...noted } = taken.get(idOf({ workspaceId, kind }))!;
    const all = new UnmatchedTally();
    all.addAll({ count: Number(count), warnings });
    all.addAll(tally.summary());
    return {
      workspaceId,
      kind,
      since: earlier(since ?? noted.since, noted.since),
      until: later(until ?? noted.until, noted.until),
      ...all.summary(),
    };
  });
  await tx.query(
    `UPDATE usage.unmatched u SET count = m.count, warnings = m.warnings, since = m.since, until = m.until
     FROM jsonb_to_recordset($1)
       AS m ("workspaceId" text, kind text, count bigint, warnings jsonb, since timestamptz, until timestamptz)
     WHERE u.workspace_id = m."workspaceId" AND u.kind = m.kind`,
    [JSON.stringify(merged)],
  );
}

function idOf({ workspaceId, kind }: UsageReportKey): string {
  return `${workspaceId} ${kind}`;
}

const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);
const later = (a: Instant, b: Instant): Instant => (a > b ? a : b);
