import { prepared, type Queryable } from '#libs/kernel/postgres';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { normalise, type MeterDefinition } from './definition.js';
import { measureLog, type MeasuredRow } from './measure-sql.js';

/** Higher than any position of the log. */
const NO_WATERMARK = String(2n ** 63n - 1n);

/**
 * Measures a customer's usage in [start, end) by the log alone, as far as a transaction sees it, and returns the quantity of each group. Its time
 * grows with the number of events. It is used to check numbers that are kept beside the log.
 */
export async function measureVisible(
  tx: Queryable,
  {
    definition: { workspaceId, eventName, aggregation },
    ...span
  }: { definition: MeterDefinition; customerId: string; start: Instant; end: Instant },
): Promise<DecimalString[]> {
  const streams = await tx.query<{ id: number }>(
    prepared('SELECT id FROM usage.streams WHERE workspace_id = $1 AND event_name = $2', [
      ...[workspaceId, eventName],
    ]),
  );
  const [stream] = streams.rows;
  if (!stream) return [];
  const source = { streamId: stream.id, aggregation: normalise(aggregation) };
  const { text, values } = measureLog(source, span, NO_WATERMARK);
  const { rows } = await tx.query<MeasuredRow>(text, values);
  return rows.flatMap(({ events, quantity }) => (events === '0' ? [] : [quantity]));
}
