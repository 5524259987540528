import { metricDecider } from '#libs/contexts/catalog';
import { snapshotProjection } from '#libs/kernel/projection';
import { MetricRow } from './metric-row.js';

/** All metrics with their present state, for `GET /v1/metrics`. */
export const metricsProjection = snapshotProjection({
  name: 'metrics',
  version: 1,
  entity: MetricRow,
  decider: metricDecider,
  columnsOf: ({ deleted }) => ({ live: !deleted }),
});
