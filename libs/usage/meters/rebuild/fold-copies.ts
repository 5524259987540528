import type { Pool } from 'pg';
import type { Watermark } from '../../log-head.js';
import type { NormalisedAggregation } from '../definition.js';
import type { MeterStore } from '../meter-store.js';

/**
 * Folds the copies of live meters that count events of a customer, as far as their live meters are folded. A copy is a replaced meter, or a
 * meter of an interrupted rebuild or verification. Nothing else folds a copy.
 */
export async function foldCopiesOfLiveMeters(
  pool: Pool,
  meters: MeterStore,
  { workspaceId, customerId }: { readonly workspaceId: string; readonly customerId: string },
): Promise<void> {
  const { rows } = await pool.query<{
    id: string;
    streamId: number;
    aggregation: NormalisedAggregation;
    reached: Watermark;
  }>(
    `SELECT m.id, m.stream_id AS "streamId", m.aggregation, live.watermark AS reached
     FROM usage.streams t JOIN usage.series s ON s.stream_id = t.id JOIN usage.meters m ON m.stream_id = t.id
     JOIN usage.meters live ON live.key = m.key AND live.role = 'live'
     WHERE t.workspace_id = $1 AND s.customer_id = $2 AND m.role <> 'live' AND m.watermark < live.watermark
     ORDER BY m.id`,
    [workspaceId, customerId],
  );
  // A copy that was ahead of its live meter would differ from it in a verification that runs now.
  for (const { reached, ...meter } of rows) await meters.catchUp(meter, reached);
}
