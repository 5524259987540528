import type { Watermark } from '../log-head.js';
import { logRows, seriesOf, wholeHours, type Span } from './measure-sql.js';
import type { Meter } from './meter.js';
import { Parameters, type Statement } from './sql.js';

/** The result: whether something was added, and the position up to which the meter had been folded. */
export interface ChangedRow {
  watermark: string;
  changed: boolean;
}

/**
 * Tells whether events of the span came after `since`. For whole hours it asks the rollups, which know when each hour last changed. For the
 * rest of the first and last hour it asks the log. One statement, hence one snapshot. No row if there is no such meter any more.
 */
export function changedMeter(meter: Meter, span: Span, since: Watermark): Statement {
  const parameters = new Parameters();
  const meterId = parameters.add(meter.id, 'bigint');
  const series = seriesOf(meter, span, parameters);
  const after = parameters.add(since, 'bigint');
  const { start, end, edges } = wholeHours(span);
  const inEdges = edges.map(
    (edge) => `OR EXISTS (${logRows(meter, edge, 'meter.watermark', parameters, after)})`,
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
