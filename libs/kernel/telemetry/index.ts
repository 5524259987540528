export {
  counter,
  histogram,
  measureProcess,
  METRICS_CONTENT_TYPE,
  renderMetricsPage,
  ObservedGauges,
  type LabeledValues,
} from './metrics.js';
export {
  incomingTrace,
  isTracing,
  startSpan,
  startTracing,
  runInSpan,
  traceParent,
  isTracingConfigured,
  type RunningSpan,
  type SpanDescription,
} from './tracing.js';
