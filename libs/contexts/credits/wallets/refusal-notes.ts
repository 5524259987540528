import type { Decimal } from '#libs/kernel/core';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import type { WalletRowKey } from './wallet-rows.js';

/** The credits that refused usage costs of a wallet. */
export interface RefusedCost extends WalletRowKey {
  readonly required: Decimal;
}

/** A note about refused usage of a wallet. A larger cost gives the note of the wallet another `noteId`. */
export interface RefusalNote extends WalletRowKey {
  readonly noteId: string;
  readonly required: string;
}

/**
 * Notes what refused usage costs, if that is more than the wallet's note says already. Writes nothing for wallets without an automatic
 * top-up.
 */
export async function noteRefusals(db: Queryable, costs: readonly RefusedCost[]): Promise<void> {
  await db.query(
    preparedStatement(
      `INSERT INTO credits.refusals AS r (workspace_id, customer_id, credit_type, required)
       SELECT k.* FROM unnest($1::text[], $2::text[], $3::text[], $4::numeric[])
         AS k (workspace_id, customer_id, credit_type, required)
       JOIN credits.wallets w
         ON w.workspace_id = k.workspace_id AND w.customer_id = k.customer_id AND w.credit_type = k.credit_type
       WHERE w.state->>'autoTopUp' IS NOT NULL ORDER BY 1, 2, 3
       ON CONFLICT (workspace_id, customer_id, credit_type) DO UPDATE
         SET required = excluded.required, note_id = excluded.note_id WHERE r.required < excluded.required`,
      [
        costs.map(({ workspaceId }) => workspaceId),
        costs.map(({ customerId }) => customerId),
        costs.map(({ creditType }) => creditType),
        costs.map(({ required }) => required.toFixed()),
      ],
    ),
  );
}

/** Returns the oldest notes that were first written at least `minAgeMillis` ago, of one workspace or of all workspaces. */
export async function readRefusalNotes(
  db: Queryable,
  { minAgeMillis, limit, workspaceId }: { minAgeMillis: number; limit: number; workspaceId?: string },
): Promise<RefusalNote[]> {
  const { rows } = await db.query<RefusalNote>(
    preparedStatement(
      `SELECT workspace_id AS "workspaceId", customer_id AS "customerId", credit_type AS "creditType", note_id::text AS "noteId",
         trim_scale(required)::text AS required
       FROM credits.refusals
       WHERE noted_at <= now() - $1 * interval '1 millisecond' ${workspaceId === undefined ? '' : 'AND workspace_id = $3'}
       ORDER BY noted_at LIMIT $2`,
      [minAgeMillis, limit, ...(workspaceId === undefined ? [] : [workspaceId])],
    ),
  );
  return rows;
}

/** Deletes a note, unless a larger cost has changed it since it was read. */
export async function deleteRefusalNote(
  db: Queryable,
  { workspaceId, customerId, creditType, noteId }: RefusalNote,
): Promise<void> {
  await db.query(
    preparedStatement(
      `DELETE FROM credits.refusals
       WHERE workspace_id = $1 AND customer_id = $2 AND credit_type = $3 AND note_id = $4`,
      [workspaceId, customerId, creditType, noteId],
    ),
  );
}
