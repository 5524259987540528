import type { Watermark } from '../log-head.js';
import { logRowsSql, seriesSql, wholeHours, type Span } from './measure-sql.js';
import type { Meter } from './meter.js';
import { SqlParameters, type Statement } from './sql.js';

/** The result: whether an event was added, and the position up to which the meter is folded. */
export interface UsageChangedRow {
  watermark: string;
  changed: boolean;
}

/**
 * Returns the statement that tells whether events of the span came after `since`. For whole hours it reads the rollups, which contain the
 * last change of each hour. For the rest of the first and last hour it reads the log. It is a single statement, so it reads a single
 * snapshot. It returns no row if the meter does not exist any more.
 */
export function usageChangedStatement(meter: Meter, span: Span, since: Watermark): Statement {
  const parameters = new SqlParameters();
  const meterId = parameters.add(meter.id, 'bigint');
  const series = seriesSql(meter, span, parameters);
  const after = parameters.add(since, 'bigint');
  const { start, end, edges } = wholeHours(span);
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
