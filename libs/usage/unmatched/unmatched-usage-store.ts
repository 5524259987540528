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
 * The maximum number of workspaces whose findings wait in memory to be written. This number is reached only if the database cannot be
 * reached for long. The findings of further workspaces are then dropped.
 */
const MAX_WAITING = 10_000;

/** The uncounted usage of a workspace that has not been reported to the workspace yet. */
export interface UnmatchedUsageToReport extends UnmatchedUsage {
  readonly workspaceId: string;
  /** The instant at which the first of the uncounted events was received, by the machine's clock. */
  readonly since: Instant;
  /** The instant at which the last of the uncounted events was received, by the machine's clock. */
  readonly until: Instant;
}

interface Waiting {
  readonly tally: UnmatchedTally;
  since: Instant;
  until: Instant;
}

interface Row extends Omit<UnmatchedUsageToReport, 'count' | 'since' | 'until'> {
  readonly count: string;
  readonly since: Instant | null;
  readonly until: Instant | null;
}

const FIELDS = 'workspace_id AS "workspaceId", since, until, count, warnings';

/**
 * Collects uncounted usage, about which another service notifies the workspaces. The uncounted usage is summed in memory and written about
 * once a second, so that ingestion does not wait for the database. Each workspace has one row in the database, which also contains the
 * earliest instant of the next report.
 */
@Injectable()
export class UnmatchedUsageStore implements BeforeApplicationShutdown {
  private waiting = new Map<string, Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly pool: Pool) {}

  /** Records the uncounted usage of events that were just stored. */
  addUsage(workspaceId: string, usage: UnmatchedUsage): void {
    const now = systemClock.now();
    this.add(workspaceId, usage, now, now);
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

  /**
   * Returns the uncounted usage, not yet reported, of up to `limit` workspaces that are due for a report. Other processes do not report to
   * these workspaces until the transaction ends.
   */
  async lockDueReports(tx: Queryable, limit: number): Promise<UnmatchedUsageToReport[]> {
    const { rows } = await tx.query<Row>(
      `SELECT ${FIELDS} FROM usage.unmatched WHERE count > 0 AND due_at <= now()
       ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [limit],
    );
    // Rows with a count have both instants.
    return rows.map((row) => ({ ...row, since: row.since!, until: row.until!, count: Number(row.count) }));
  }

  /** Records that a workspace was notified of all recorded usage. The workspace can be notified again from the instant `dueAt`. */
  async markReported(tx: Queryable, workspaceId: string, dueAt: Instant): Promise<void> {
    await tx.query(
      `UPDATE usage.unmatched SET count = 0, warnings = '[]', since = NULL, until = NULL, due_at = $2 WHERE workspace_id = $1`,
      [workspaceId, dueAt],
    );
  }

  /** Records that a workspace must not be notified before `dueAt`. */
  async delayReport(tx: Queryable, workspaceId: string, dueAt: Instant): Promise<void> {
    await tx.query('UPDATE usage.unmatched SET due_at = $2 WHERE workspace_id = $1', [workspaceId, dueAt]);
  }

  private add(workspaceId: string, usage: UnmatchedUsage, since: Instant, until: Instant): void {
    let waiting = this.waiting.get(workspaceId);
    if (waiting === undefined) {
      if (this.waiting.size >= MAX_WAITING) return;
      waiting = { tally: new UnmatchedTally(), since, until };
      this.waiting.set(workspaceId, waiting);
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
      for (const [workspaceId, { tally, since, until }] of taken)
        this.add(workspaceId, tally.summary(), since, until);
    }
  }
}

/** Adds the findings to the stored rows of the workspaces. */
async function merge(tx: Queryable, taken: ReadonlyMap<string, Waiting>): Promise<void> {
  const workspaceIds = [...taken.keys()];
  await tx.query(
    `INSERT INTO usage.unmatched (workspace_id) SELECT * FROM unnest($1::text[]) ORDER BY 1 ON CONFLICT DO NOTHING`,
    [workspaceIds],
  );
  const { rows } = await tx.query<Row>(
    `SELECT ${FIELDS} FROM usage.unmatched WHERE workspace_id = ANY($1) ORDER BY workspace_id FOR UPDATE`,
    [workspaceIds],
  );
  const merged = rows.map(({ workspaceId, count, warnings, since, until }) => {
    const { tally, ...noted } = taken.get(workspaceId)!;
    const all = new UnmatchedTally();
    all.addAll({ count: Number(count), warnings });
    all.addAll(tally.summary());
    return {
      workspaceId,
      since: earlier(since ?? noted.since, noted.since),
      until: later(until ?? noted.until, noted.until),
      ...all.summary(),
    };
  });
  await tx.query(
    `UPDATE usage.unmatched u SET count = m.count, warnings = m.warnings, since = m.since, until = m.until
     FROM jsonb_to_recordset($1) AS m ("workspaceId" text, count bigint, warnings jsonb, since timestamptz, until timestamptz)
     WHERE u.workspace_id = m."workspaceId"`,
    [JSON.stringify(merged)],
  );
}

const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);
const later = (a: Instant, b: Instant): Instant => (a > b ? a : b);
