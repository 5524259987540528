export { MetricQueries } from './metric-queries.js';
export { MetricsReadModule } from './metrics-read.module.js';
