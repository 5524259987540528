import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import type { LimitReached } from './events.js';

/**
 * A stored notice that a customer has reached a threshold of a limit. The key of a notice is unique, so only one event is appended for it.
 */
export interface LimitNotice extends LimitReached {
  readonly workspaceId: string;
}

/** Stores notices in the same transaction in which usage reaches the thresholds. */
export async function addNotices(tx: Queryable, notices: readonly LimitNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await tx.query(
    preparedStatement(
      `INSERT INTO limits.notices (workspace_id, limit_id, customer_id, window_start, threshold, notice)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::jsonb[])
       ORDER BY 1, 2, 3, 4, 5 ON CONFLICT DO NOTHING`,
      [
        notices.map(({ workspaceId }) => workspaceId),
        notices.map(({ limitId }) => limitId),
        notices.map(({ customerId }) => customerId),
        notices.map(({ windowStart }) => windowStart),
        notices.map(({ threshold }) => threshold),
        notices.map(({ workspaceId: _, ...notice }) => JSON.stringify(notice)),
      ],
    ),
  );
}

/** Selects the notices of a workspace that were stored or postponed up to an instant. */
export interface NoticeSelection {
  readonly workspaceId: string;
  readonly until: string;
}

/**
 * Returns the oldest notices of one workspace or of all workspaces, and locks them until the transaction ends. For one workspace, the call
 * waits for notices that other transactions have locked. For all workspaces, the call skips locked notices.
 */
export async function lockOldestNotices(
  tx: Queryable,
  limit: number,
  scope?: NoticeSelection,
): Promise<LimitNotice[]> {
  const { rows } = await tx.query<{ workspaceId: string; notice: LimitReached }>(
    preparedStatement(
      `SELECT workspace_id AS "workspaceId", notice FROM limits.notices
       WHERE $2::text IS NULL OR workspace_id = $2 AND noted_at <= $3::timestamptz ORDER BY noted_at LIMIT $1
       FOR UPDATE ${scope === undefined ? 'SKIP LOCKED' : ''}`,
      [limit, scope?.workspaceId ?? null, scope?.until ?? null],
    ),
  );
  return rows.map(({ workspaceId: own, notice }) => ({ workspaceId: own, ...notice }));
}

/** Returns the present time of the database, in its full precision. */
export async function databaseTime(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  return rows[0]!.now;
}

const KEYS = `unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[])
  AS k (workspace_id, limit_id, customer_id, window_start, threshold)`;
const HAS_KEY = `n.workspace_id = k.workspace_id AND n.limit_id = k.limit_id AND n.customer_id = k.customer_id
  AND n.window_start = k.window_start AND n.threshold = k.threshold`;

/** Removes the notices whose events were appended. */
export async function removeNotices(tx: Queryable, notices: readonly LimitNotice[]): Promise<void> {
  await tx.query(
    preparedStatement(`DELETE FROM limits.notices n USING ${KEYS} WHERE ${HAS_KEY}`, keysOf(notices)),
  );
}

/** Puts notices behind all others. A notice whose event cannot be appended therefore does not block the others. */
export async function postponeNotices(tx: Queryable, notices: readonly LimitNotice[]): Promise<void> {
  await tx.query(
    preparedStatement(
      `UPDATE limits.notices n SET noted_at = clock_timestamp() FROM ${KEYS} WHERE ${HAS_KEY}`,
      keysOf(notices),
    ),
  );
}

function keysOf(notices: readonly LimitNotice[]): string[][] {
  return [
    notices.map(({ workspaceId }) => workspaceId),
    notices.map(({ limitId }) => limitId),
    notices.map(({ customerId }) => customerId),
    notices.map(({ windowStart }) => windowStart),
    notices.map(({ threshold }) => threshold),
  ];
}
