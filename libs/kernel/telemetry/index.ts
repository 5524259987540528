export {
  counter,
  histogram,
  measureProcess,
  METRICS_CONTENT_TYPE,
  metricsPage,
  ObservedGauges,
  type Reading,
} from './metrics.js';
export {
  incomingTrace,
  isTracing,
  openSpan,
  startTracing,
  traced,
  traceParent,
  wantsTraces,
  type OpenSpan,
  type SpanDescription,
} from './tracing.js';
