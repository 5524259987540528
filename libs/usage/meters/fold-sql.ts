import type { Watermark } from '../log-head.js';
import type { Meter } from './meter.js';
import { markChangedWatchesSql } from './mark-changed-watches-sql.js';
import { aggregationSql, groupIdSql, SqlParameters, type Statement } from './sql.js';

/**
 * Returns the statement that adds the events after `from` up to `to` to the meter's rollups (its totals of each hour), in one pass. With
 * `watched`, the statement also marks the usage watches of the customers of these events, because their watchers must be notified. The row
 * count of the statement is then the number of newly marked watches.
 */
export function foldStatement(meter: Meter, from: Watermark, to: Watermark, watched: boolean): Statement {
  const parameters = new SqlParameters();
  const {
    filterCondition: matches,
    value,
    groupKey,
    combineFunction: combine,
  } = aggregationSql(meter.aggregation, parameters);
  const distinct = meter.aggregation.type === 'count_distinct';
  const meterId = parameters.add(meter.id, 'bigint');
  const group = groupIdSql(meter.aggregation, 'group_key');
  const quantity = {
    sum: 'coalesce(rollup.quantity + excluded.quantity, rollup.quantity, excluded.quantity)',
    max: 'greatest(rollup.quantity, excluded.quantity)',
  }[combine];
  const ctes = `
    WITH chunk AS ${distinct ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (
      SELECT series_id, date_bin('1 hour', timestamp, 'epoch') AS hour, seq, ${groupKey} AS group_key, ${value} AS value
      FROM usage.events
      WHERE stream_id = ${parameters.add(meter.streamId, 'int')}
        AND seq > ${parameters.add(from, 'bigint')} AND seq <= ${parameters.add(to, 'bigint')} AND ${matches}
    )${distinct ? `, ${foldDistinctValues(meterId, group)}` : ''}`;
  const insert = `
    INSERT INTO usage.rollups AS rollup
      (meter_id, series_id, hour, group_id, group_key, events, skipped, quantity, last_seq)
    SELECT ${meterId}, series_id, hour, ${group}, group_key,
      count(value), count(*) - count(value), ${distinct ? 'NULL' : `${combine}(value)`}, max(seq)
    FROM chunk GROUP BY series_id, hour, group_key
    ON CONFLICT (meter_id, series_id, hour, group_id) DO UPDATE SET
      events = rollup.events + excluded.events,
      skipped = rollup.skipped + excluded.skipped,
      quantity = ${quantity},
      last_seq = excluded.last_seq`;
  const text = watched
    ? `${ctes}, folded AS (${insert} RETURNING series_id), ${markChangedWatchesSql(meter.streamId, parameters)}`
    : ctes + insert;
  return { text, values: parameters.values };
}

/**
 * The CTEs that add the distinct values of the folded events to the hours of these events. For each value that is new in an hour, the CTEs
 * find the previous hour with this value. The CTEs search the table `usage.distinct_values` and the folded events. If a later hour in the
 * table has the value too, the new hour becomes the previous hour of that later hour. The statement reads the table as it was before the
 * statement.
 */
function foldDistinctValues(meterId: string, group: string): string {
  const seen = (side: string): string =>
    `SELECT d.hour FROM usage.distinct_values d
     WHERE d.meter_id = ${meterId} AND d.series_id = pair.series_id AND d.group_id = pair.group_id
       AND d.value = pair.value AND d.hour ${side} LIMIT 1`;
  return `
    pair AS (
      SELECT DISTINCT series_id, ${group} AS group_id, value, hour FROM chunk WHERE value IS NOT NULL
    ),
    known AS (
      SELECT pair.*,
        (${seen('<= pair.hour ORDER BY d.hour DESC')}) AS before,
        (${seen('> pair.hour ORDER BY d.hour')}) AS after
      FROM pair
    ),
    fresh AS MATERIALIZED (
      SELECT series_id, group_id, value, hour, coalesce(before, '-infinity') AS before, after,
        lag(hour) OVER of_value AS fresh_before, lead(hour) OVER of_value AS fresh_after
      FROM known WHERE before IS DISTINCT FROM hour
      WINDOW of_value AS (PARTITION BY series_id, group_id, value ORDER BY hour)
    ),
    added AS (
      INSERT INTO usage.distinct_values (meter_id, series_id, group_id, value, hour)
      SELECT ${meterId}, series_id, group_id, value, hour FROM fresh
    ),
    step AS (
      SELECT series_id, group_id, hour, greatest(before, fresh_before) AS seen_before, 1 AS count FROM fresh
      UNION ALL
      SELECT series_id, group_id, after, seen_before, count
      FROM fresh CROSS JOIN LATERAL (VALUES (hour, 1), (before, -1)) AS changed (seen_before, count)
      WHERE after < coalesce(fresh_after, 'infinity')
    ),
    counted AS (
      INSERT INTO usage.recurrences AS known_count (meter_id, series_id, hour, seen_before, group_id, count)
      SELECT ${meterId}, series_id, hour, seen_before, group_id, sum(count) FROM step
      GROUP BY series_id, hour, seen_before, group_id HAVING sum(count) <> 0
      ON CONFLICT (meter_id, series_id, hour, seen_before, group_id)
      DO UPDATE SET count = known_count.count + excluded.count
    )`;
}
