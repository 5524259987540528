import type { Parameters } from './sql.js';

/** Postgres notifications that usage has moved which somebody watches. */
export const USAGE_MOVED_CHANNEL = 'usage_moved';

/**
 * SQL that continues from a CTE `folded` with a stream's folded series. It records the change for the watchers of their customers. Rows
 * that another transaction has locked are left out. Either that transaction records the same change, or its watcher has yet to read the
 * usage.
 */
export function noteMoved(streamId: number, parameters: Parameters): string {
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
