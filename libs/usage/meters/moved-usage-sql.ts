import type { Parameters } from './sql.js';

/** Postgres notifications that usage has moved which somebody watches. */
export const USAGE_MOVED_CHANNEL = 'usage_moved';

/**
 * What goes on from a CTE `folded` of the series of a stream that were folded: notes it for those who watch their customers. What another
 * transaction holds is left out: that is a fold that notes the same, or somebody who is just being told and is still to look.
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
