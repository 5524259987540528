import { Unavailable, type DecimalString, type Instant } from '#libs/kernel/core';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';

/** The key of a counter: a limit, a customer and a window. */
export interface CounterKey {
  readonly workspaceId: string;
  readonly limitId: string;
  readonly customerId: string;
  readonly windowStart: Instant;
}

/** The `metricVersion` value that marks a counter whose usage must be counted again. */
export const OUTDATED_METRIC_VERSION = 0;

/** A row of the table `limits.counters`. */
export interface CounterRow extends CounterKey {
  /** The end of the window. Null if the window does not end. */
  readonly windowEnd: Instant | null;
  /** The quantity of all stored usage in the window. */
  readonly used: DecimalString;
  /** The version of the metric with which the counter was computed, or {@link OUTDATED_METRIC_VERSION}. */
  readonly metricVersion: number;
  /** A number that grows each time the counter is marked as outdated or is counted again from the usage log. */
  readonly epoch: number;
  /** The thresholds for which a notice was already stored. */
  readonly told: readonly DecimalString[];
}

/** The maximum time to wait for the lock of a counter that is to be marked as outdated, in milliseconds. */
const LOCK_MILLIS = 100;
/** The SQLSTATE of PostgreSQL for a wait that exceeds `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';

const COLUMNS = `
  c.workspace_id AS "workspaceId", c.limit_id AS "limitId", c.customer_id AS "customerId", c.window_start AS "windowStart",
  c.window_end AS "windowEnd", trim_scale(c.used)::text AS used, c.metric_version AS "metricVersion", c.epoch, c.told`;
const KEYS = `
  unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS k (workspace_id, limit_id, customer_id, window_start)`;
const IS_KEY = `
  c.workspace_id = k.workspace_id AND c.limit_id = k.limit_id AND c.customer_id = k.customer_id AND c.window_start = k.window_start`;

/** Returns a text that identifies a counter, for use as the key of a map. */
export function counterKeyText({ workspaceId, limitId, customerId, windowStart }: CounterKey): string {
  return `${workspaceId} ${limitId} ${windowStart} ${customerId}`;
}

/** Returns the existing counters for the given keys. */
export async function readCounters(db: Queryable, keys: readonly CounterKey[]): Promise<CounterRow[]> {
  const { rows } = await db.query<CounterRow>(
    preparedStatement(`SELECT ${COLUMNS} FROM limits.counters c JOIN ${KEYS} ON ${IS_KEY}`, columnsOf(keys)),
  );
  return rows;
}

/** Counters, with the version of the limit rules that applied when the counters were read. */
export interface CountersWithRulesVersion {
  readonly rulesVersion: string;
  readonly counters: readonly CounterRow[];
}

/**
 * Returns the existing counters for the given keys and the version of the workspace's limit rules. One SQL statement reads the counters and
 * the version.
 */
export async function readCountersWithRulesVersion(
  db: Queryable,
  workspaceId: string,
  keys: readonly CounterKey[],
): Promise<CountersWithRulesVersion> {
  const { rows } = await db.query<
    { rulesVersion: string } & { [Field in keyof CounterRow]: CounterRow[Field] | null }
  >(
    preparedStatement(
      `SELECT g.version::text AS "rulesVersion", found.*
       FROM (SELECT coalesce((SELECT version FROM usage.gate_versions WHERE workspace_id = $5), 0) AS version) g
       LEFT JOIN (SELECT ${COLUMNS} FROM limits.counters c JOIN ${KEYS} ON ${IS_KEY}) found ON true`,
      [...columnsOf(keys), workspaceId],
    ),
  );
  return {
    rulesVersion: rows[0]!.rulesVersion,
    counters: rows.filter(({ limitId }) => limitId !== null) as unknown as CounterRow[],
  };
}

/**
 * Describes the counter that new usage needs. The counter is current if its row has the same end of the window and the same metric version.
 */
export type WantedCounter = CounterKey & Pick<CounterRow, 'windowEnd' | 'metricVersion'>;

/**
 * Locks those counters in `wanted` that are current, in the order of their keys, and returns them. The locks last until the transaction
 * ends. Does not wait for counters that are being counted from the log, because these counters are outdated.
 */
export async function lockCurrentCounters(
  tx: Queryable,
  wanted: readonly WantedCounter[],
): Promise<CounterRow[]> {
  const { rows } = await tx.query<CounterRow>(
    preparedStatement(
      `SELECT ${COLUMNS} FROM limits.counters c
       JOIN unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::int[])
         AS k (workspace_id, limit_id, customer_id, window_start, window_end, metric_version)
         ON ${IS_KEY} AND c.metric_version = k.metric_version AND c.window_end IS NOT DISTINCT FROM k.window_end
       ORDER BY 1, 2, 3, 4 FOR UPDATE OF c`,
      [
        ...columnsOf(wanted),
        wanted.map(({ windowEnd }) => windowEnd),
        wanted.map(({ metricVersion }) => metricVersion),
      ],
    ),
  );
  return rows;
}

/** Stores the new quantities of locked counters after usage was added. */
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
 * Stores a counter whose usage was counted again from the log, and returns its new `epoch`. Returns undefined and stores nothing if another
 * process has stored the recounted counter since `before` was read.
 */
export async function writeRecountedCounter(
  db: Queryable,
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
  before: Pick<CounterRow, 'epoch'> | undefined,
): Promise<number | undefined> {
  const { rows } = await db.query<{ epoch: number }>(
    preparedStatement(
      `INSERT INTO limits.counters AS c
         (workspace_id, limit_id, customer_id, window_start, window_end, used, metric_version, told)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (workspace_id, limit_id, customer_id, window_start) DO UPDATE SET
         window_end = excluded.window_end, used = excluded.used, metric_version = excluded.metric_version,
         told = excluded.told, epoch = c.epoch + 1, counted_at = now()
       WHERE c.epoch = $9
       RETURNING c.epoch`,
      [
        workspaceId,
        limitId,
        customerId,
        windowStart,
        windowEnd,
        used,
        metricVersion,
        JSON.stringify(told),
        before?.epoch ?? 0,
      ],
    ),
  );
  return rows[0]?.epoch;
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

/** Removes the counters of deleted limits, either of one workspace or of all workspaces. Returns the number of removed counters. */
export async function removeCountersOfDeletedLimits(
  db: Queryable,
  workspaceId: string | undefined,
): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM limits.counters c
     WHERE ($1::text IS NULL OR c.workspace_id = $1) AND NOT EXISTS (
       SELECT FROM limits.rules r WHERE r.workspace_id = c.workspace_id AND r.limit_id = c.limit_id)`,
    [workspaceId ?? null],
  );
  return rowCount ?? 0;
}

/** Removes the counters of a customer. A removed counter is counted again before its next use. */
export async function removeCountersOfCustomer(
  db: Queryable,
  workspaceId: string,
  customerId: string,
): Promise<void> {
  await db.query('DELETE FROM limits.counters WHERE workspace_id = $1 AND customer_id = $2', [
    workspaceId,
    customerId,
  ]);
}

/**
 * Removes counters that were counted from the log at least `days` days ago, at most `limit` of them, and returns their number. Most of the
 * removed counters belong to windows that have ended. Removed counters of windows that have not ended are counted again before their next
 * use.
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

/** Selects the counters of one customer in a workspace, of one workspace, or of all workspaces. */
export interface CounterScope {
  readonly workspaceId?: string | undefined;
  readonly customerId?: string | undefined;
}

/**
 * Marks counters as outdated, and returns the number of marked counters. Throws Unavailable if one of the counters stays locked because it
 * is being counted. A longer wait would block usage, because the caller may hold the lock for appending events and the locks of marked
 * counters.
 */
export async function markCountersOutdated(tx: Queryable, scope: CounterScope): Promise<number> {
  const { where, values } = conditionOf(scope);
  await tx.query(`SET LOCAL lock_timeout = ${LOCK_MILLIS}`);
  try {
    const { rowCount } = await tx.query(
      preparedStatement(
        `UPDATE limits.counters c SET metric_version = ${OUTDATED_METRIC_VERSION}, epoch = c.epoch + 1
         FROM (
           SELECT workspace_id, limit_id, customer_id, window_start FROM limits.counters WHERE ${where}
           ORDER BY 1, 2, 3, 4 FOR UPDATE
         ) k
         WHERE ${IS_KEY}`,
        values,
      ),
    );
    return rowCount ?? 0;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new Unavailable(
      'too_many_at_work',
      'The usage of a customer is being counted for a limit; try again shortly',
    );
  }
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
