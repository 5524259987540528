import type { Queryable } from '#libs/kernel/postgres';

/**
 * Removes at most `limit` tasks that were done more than `days` days ago, and returns the number of removed tasks. A removed task is not
 * stored again for the same event, because process managers react to each event only once. Another event with the same subject, or a new
 * request of a recurring task, stores the task again. Tasks that were given up are kept, because an operator must examine them.
 */
export async function pruneTasks(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM saga.tasks WHERE id IN (
       SELECT id FROM saga.tasks WHERE status = 'done' AND done_at < now() - make_interval(days => $1)
       ORDER BY done_at LIMIT $2)`,
    [days, limit],
  );
  return rowCount ?? 0;
}
