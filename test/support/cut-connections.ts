import type { Queryable } from '#libs/kernel/postgres';

/**
 * Ends the connections of this name to this database, as if their process had died. Only to that database:
 * other tests run on the same server at the same moment.
 */
export async function cutConnections(db: Queryable, applicationName: string): Promise<void> {
  await db.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = $1 AND datname = current_database()`,
    [applicationName],
  );
}
