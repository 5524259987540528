export {
  counter,
  histogram,
  measureProcess,
  METRICS_CONTENT_TYPE,
  metricsPage,
  ObservedGauges,
  type Reading,
} from './metrics.js';
