export {
  counter,
  histogram,
  measureProcess,
  METRICS_CONTENT_TYPE,
  metricsPage,
  ObservedGauge,
  type Reading,
} from './metrics.js';
