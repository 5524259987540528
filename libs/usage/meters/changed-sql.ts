import type { Watermark } from '../log-head.js';
import { logRowsSql, seriesSql, splitIntoWholeHours, type CustomerTimeRange } from './measure-sql.js';
import type { Meter } from './meter.js';
import { SqlParameters, type Statement } from './sql.js';

/**
 * A row in the result of {@link usageChangedStatement}: whether an event was added, and the position up to which the meter contains the
 * events.
 */
export interface UsageChangedRow {
  watermark: string;
  changed: boolean;
}

/**
 * Returns the statement that tells whether events of the time range were added after the position `since`. For whole hours, the statement
 * reads the rollups, which are the meter's totals of each hour. A rollup also contains the position of the event that was added to the hour
 * last. For parts of an hour at the start and the end of the time range, the statement reads the usage log. All data is read in a single
 * statement, and therefore from a single snapshot. The statement returns no row if the meter does not exist any more.
 */
export function usageChangedStatement(meter: Meter, span: CustomerTimeRange, since: Watermark): Statement {
  const parameters = new SqlParameters();
  const meterId = parameters.add(meter.id, 'bigint');
  const series = seriesSql(meter, span, parameters);
  const after = parameters.add(since, 'bigint');
  const { start, end, edges } = splitIntoWholeHours(span);
  const inEdges = edges.map(
    (edge) => `OR EXISTS (${logRowsSql(meter, edge, 'meter.watermark', parameters, after)})`,
  );
  const text = `
    SELECT meter.watermark,
      EXISTS (
        SELECT 1 FROM usage.rollups
        WHERE meter_id = ${meterId} AND series_id = ${series} AND last_seq > ${after}
          AND hour >= ${parameters.add(start, 'timestamptz')} AND hour < ${parameters.add(end, 'timestamptz')}
      ) ${inEdges.join(' ')} AS changed
    FROM usage.meters meter WHERE meter.id = ${meterId}`;
  return { text, values: parameters.values };
}
