import type { DecimalString, Instant } from '#libs/kernel/core';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';

/** The key of a counter: a limit, a customer and a window. */
export interface CounterKey {
  readonly workspaceId: string;
  readonly limitId: string;
  readonly customerId: string;
  readonly windowStart: Instant;
}

/** A row of the table `limits.counters`. */
export interface CounterRow extends CounterKey {
  readonly windowEnd: Instant | null;
  /** The quantity of all stored usage in the window. */
  readonly used: DecimalString;
  /** The version of the metric that is counted. 0 means that the usage must be counted again. */
  readonly metricVersion: number;
  /** A number that changes each time the usage is counted again from the log. */
  readonly epoch: number;
  /** The thresholds for which a notice was stored. */
  readonly told: readonly DecimalString[];
}

const COLUMNS = `
  c.workspace_id AS "workspaceId", c.limit_id AS "limitId", c.customer_id AS "customerId", c.window_start AS "windowStart",
  c.window_end AS "windowEnd", trim_scale(c.used)::text AS used, c.metric_version AS "metricVersion", c.epoch, c.told`;
const KEYS = `
  unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS k (workspace_id, limit_id, customer_id, window_start)`;
const IS_KEY = `
  c.workspace_id = k.workspace_id AND c.limit_id = k.limit_id AND c.customer_id = k.customer_id AND c.window_start = k.window_start`;

/** Returns a text that identifies a counter, for use as the key of a map. */
export function counterId({ workspaceId, limitId, customerId, windowStart }: CounterKey): string {
  return `${workspaceId} ${limitId} ${windowStart} ${customerId}`;
}

/** Returns the counters among the given keys that exist. */
export async function readCounters(db: Queryable, keys: readonly CounterKey[]): Promise<CounterRow[]> {
  const { rows } = await db.query<CounterRow>(
    preparedStatement(`SELECT ${COLUMNS} FROM limits.counters c JOIN ${KEYS} ON ${IS_KEY}`, columnsOf(keys)),
  );
  return rows;
}

/** Counters, with the version of the rules that were in force when the counters were read. */
export interface CountersAtVersion {
  readonly version: string;
  readonly counters: readonly CounterRow[];
}

/** Returns the existing counters among the given keys, and the version of the workspace's rules. It uses one statement. */
export async function readCountersAtVersion(
  db: Queryable,
  workspaceId: string,
  keys: readonly CounterKey[],
): Promise<CountersAtVersion> {
  const { rows } = await db.query<
    { version: string } & { [Field in keyof CounterRow]: CounterRow[Field] | null }
  >(
    preparedStatement(
      `SELECT g.version::text, found.*
       FROM (SELECT coalesce((SELECT version FROM usage.gate_versions WHERE workspace_id = $5), 0) AS version) g
       LEFT JOIN (SELECT ${COLUMNS} FROM limits.counters c JOIN ${KEYS} ON ${IS_KEY}) found ON true`,
      [...columnsOf(keys), workspaceId],
    ),
  );
  return {
    version: rows[0]!.version,
    counters: rows.filter(({ limitId }) => limitId !== null) as unknown as CounterRow[],
  };
}

/** Locks these counters until the transaction ends, in the order of their keys, and returns those that exist. */
export async function lockCounters(tx: Queryable, keys: readonly CounterKey[]): Promise<CounterRow[]> {
  const { rows } = await tx.query<CounterRow>(
    preparedStatement(
      `SELECT ${COLUMNS} FROM limits.counters c JOIN ${KEYS} ON ${IS_KEY} ORDER BY 1, 2, 3, 4 FOR UPDATE OF c`,
      columnsOf(keys),
    ),
  );
  return rows;
}

/** Writes what usage has added to locked counters. */
export async function saveCounters(
  tx: Queryable,
  rows: readonly (CounterKey & Pick<CounterRow, 'used' | 'told'>)[],
): Promise<void> {
  await tx.query(
    preparedStatement(
      `UPDATE limits.counters c SET used = k.used, told = k.told
       FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::numeric[], $6::jsonb[])
         AS k (workspace_id, limit_id, customer_id, window_start, used, told)
       WHERE ${IS_KEY}`,
      [...columnsOf(rows), rows.map(({ used }) => used), rows.map(({ told }) => JSON.stringify(told))],
    ),
  );
}

/**
 * Writes a counter that was counted from the log, and returns true if it was written. It is not written if another process has counted
 * since `before` was read.
 */
export async function writeCounted(
  tx: Queryable,
  {
    workspaceId,
    limitId,
    customerId,
    windowStart,
    windowEnd,
    used,
    metricVersion,
    told,
  }: Omit<CounterRow, 'epoch'>,
  before: CounterRow | undefined,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    preparedStatement(
      `INSERT INTO limits.counters AS c
         (workspace_id, limit_id, customer_id, window_start, window_end, used, metric_version, told)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (workspace_id, limit_id, customer_id, window_start) DO UPDATE SET
         window_end = excluded.window_end, used = excluded.used, metric_version = excluded.metric_version,
         told = excluded.told, epoch = c.epoch + 1, counted_at = now()
       WHERE c.epoch = $9`,
      [
        ...[workspaceId, limitId, customerId, windowStart, windowEnd, used, metricVersion],
        ...[JSON.stringify(told), before?.epoch ?? 0],
      ],
    ),
  );
  return rowCount === 1;
}

/** Returns the next counters of a limit after a key, in the order of their keys. */
export async function readCountersAfter(
  db: Queryable,
  { workspaceId, limitId }: Pick<CounterKey, 'workspaceId' | 'limitId'>,
  after: CounterKey | undefined,
  count: number,
): Promise<CounterRow[]> {
  const { rows } = await db.query<CounterRow>(
    preparedStatement(
      `SELECT ${COLUMNS} FROM limits.counters c
       WHERE c.workspace_id = $1 AND c.limit_id = $2
         AND ($3::text IS NULL OR (c.customer_id, c.window_start) > ($3, $4::timestamptz))
       ORDER BY c.customer_id, c.window_start LIMIT $5`,
      [workspaceId, limitId, after?.customerId ?? null, after?.windowStart ?? null, count],
    ),
  );
  return rows;
}

/** Removes the counters of deleted limits, of one workspace or of all workspaces. */
export async function removeCountersOfDeletedLimits(
  db: Queryable,
  workspaceId: string | undefined,
): Promise<void> {
  await db.query(
    `DELETE FROM limits.counters c
     WHERE ($1::text IS NULL OR c.workspace_id = $1) AND NOT EXISTS (
       SELECT FROM limits.rules r WHERE r.workspace_id = c.workspace_id AND r.limit_id = c.limit_id)`,
    [workspaceId ?? null],
  );
}

/**
 * Removes counters that were counted from the log this many days ago, at most `limit` of them, and returns their number. Most of these
 * windows have ended. The other counters are counted again before their next use.
 */
export async function pruneCounters(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM limits.counters c USING (
       SELECT workspace_id, limit_id, customer_id, window_start FROM limits.counters
       WHERE counted_at < now() - $1 * interval '1 day' ORDER BY counted_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ) k WHERE ${IS_KEY}`,
    [days, limit],
  );
  return rowCount ?? 0;
}

/** Selects the counters of one customer in a workspace, of a workspace, or of all workspaces. */
export interface CounterScope {
  readonly workspaceId?: string | undefined;
  readonly customerId?: string | undefined;
}

/** Marks counters as outdated, and returns their number. */
export async function markCountersOutdated(db: Queryable, scope: CounterScope): Promise<number> {
  const { where, values } = conditionOf(scope);
  const { rowCount } = await db.query(
    preparedStatement(
      `UPDATE limits.counters c SET metric_version = 0, epoch = c.epoch + 1
       FROM (
         SELECT workspace_id, limit_id, customer_id, window_start FROM limits.counters WHERE ${where}
         ORDER BY 1, 2, 3, 4 FOR UPDATE
       ) k
       WHERE ${IS_KEY}`,
      values,
    ),
  );
  return rowCount ?? 0;
}

function conditionOf({ workspaceId, customerId }: CounterScope): { where: string; values: string[] } {
  if (workspaceId === undefined) return { where: 'true', values: [] };
  if (customerId === undefined) return { where: 'workspace_id = $1', values: [workspaceId] };
  return { where: 'workspace_id = $1 AND customer_id = $2', values: [workspaceId, customerId] };
}

function columnsOf(keys: readonly CounterKey[]): [string[], string[], string[], string[]] {
  return [
    keys.map(({ workspaceId }) => workspaceId),
    keys.map(({ limitId }) => limitId),
    keys.map(({ customerId }) => customerId),
    keys.map(({ windowStart }) => windowStart),
  ];
}
