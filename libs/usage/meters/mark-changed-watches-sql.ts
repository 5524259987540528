import type { SqlParameters } from './sql.js';

/** The channel of the Postgres notifications about changed usage of watched customers. */
export const USAGE_CHANGED_CHANNEL = 'usage_moved';

/**
 * Returns SQL that follows a CTE `folded`, which contains the series whose events were folded. The SQL marks the usage watches of the
 * customers of these series. Watches that another transaction has locked are skipped. No change is lost, because the other transaction
 * marks the watch too, or the watcher of the locked watch has not read the usage yet.
 */
export function markChangedWatchesSql(streamId: number, parameters: SqlParameters): string {
  const stream = parameters.add(streamId, 'int');
  return `
    moved AS (
      SELECT w.workspace_id, w.customer_id, w.watcher FROM usage.watches w
      WHERE NOT w.moved
        AND w.workspace_id = (SELECT workspace_id FROM usage.streams WHERE id = ${stream})
        AND w.customer_id IN (SELECT s.customer_id FROM folded JOIN usage.series s ON s.id = folded.series_id)
      FOR UPDATE OF w SKIP LOCKED
    )
    UPDATE usage.watches w SET moved = true FROM moved m
    WHERE (w.workspace_id, w.customer_id, w.watcher) = (m.workspace_id, m.customer_id, m.watcher)`;
}
