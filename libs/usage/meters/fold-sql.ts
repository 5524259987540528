import type { Watermark } from '../log-head.js';
import type { Meter } from './meter-store.js';
import { aggregationSql, groupId, Parameters, type Statement } from './sql.js';

/** One pass over the events after `from` up to `to`, added to the rollups. */
export function foldStatement(meter: Meter, from: Watermark, to: Watermark): Statement {
  const parameters = new Parameters();
  const { matches, value, groupKey, combine } = aggregationSql(meter.aggregation, parameters);
  const distinct = meter.aggregation.type === 'count_distinct';
  const meterId = parameters.add(meter.id, 'bigint');
  const quantity = {
    sum: 'coalesce(rollup.quantity + excluded.quantity, rollup.quantity, excluded.quantity)',
    max: 'greatest(rollup.quantity, excluded.quantity)',
  }[combine];
  const text = `
    WITH chunk AS ${distinct ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (
      SELECT series_id, date_bin('1 hour', timestamp, 'epoch') AS hour, seq, ${groupKey} AS group_key, ${value} AS value
      FROM usage.events
      WHERE stream_id = ${parameters.add(meter.streamId, 'int')}
        AND seq > ${parameters.add(from, 'bigint')} AND seq <= ${parameters.add(to, 'bigint')} AND ${matches}
    )${distinct ? `, seen AS (${insertDistinctValues(meter, meterId)})` : ''}
    INSERT INTO usage.rollups AS rollup
      (meter_id, series_id, hour, group_id, group_key, events, skipped, quantity, last_seq)
    SELECT ${meterId}, series_id, hour, ${groupId(meter.aggregation, 'group_key')}, group_key,
      count(value), count(*) - count(value), ${distinct ? 'NULL' : `${combine}(value)`}, max(seq)
    FROM chunk GROUP BY series_id, hour, group_key
    ON CONFLICT (meter_id, series_id, hour, group_id) DO UPDATE SET
      events = rollup.events + excluded.events,
      skipped = rollup.skipped + excluded.skipped,
      quantity = ${quantity},
      last_seq = excluded.last_seq`;
  return { text, values: parameters.values };
}

function insertDistinctValues(meter: Meter, meterId: string): string {
  return `
    INSERT INTO usage.distinct_values (meter_id, series_id, hour, group_id, value)
    SELECT DISTINCT ${meterId}, series_id, hour, ${groupId(meter.aggregation, 'group_key')}, value
    FROM chunk WHERE value IS NOT NULL
    ON CONFLICT DO NOTHING`;
}
