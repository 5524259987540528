import type { Queryable } from '#libs/kernel/postgres';

/** The schema of the live read models. */
export const LIVE_SCHEMA = 'read';
/** The schema of the tables that were live until the latest swap. */
export const OLD_SCHEMA = 'read_old';

/**
 * Runs the rest of the transaction as the role that owns the read models, so that this role owns new tables. The projector could not
 * replace tables that belong to the role of an operator. Throws an error if the database user is not allowed to act as the role that owns
 * the read models.
 */
export async function switchToReadModelOwner(tx: Queryable): Promise<void> {
  await tx.query(
    `SELECT set_config('role', pg_get_userbyid(nspowner), true) FROM pg_namespace
     WHERE nspname = '${LIVE_SCHEMA}' AND pg_get_userbyid(nspowner) <> current_user`,
  );
}
