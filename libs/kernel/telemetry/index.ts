export {
  createCounter,
  createHistogram,
  measureProcess,
  METRICS_CONTENT_TYPE,
  renderMetricsPage,
  ObservedGauges,
  type LabeledValues,
} from './metrics.js';
export { ObservedOutages, OutageLog, type OutageFacts } from './outages.js';
export {
  incomingTraceParent,
  isTracing,
  startSpan,
  startTracing,
  runInSpan,
  currentTraceParent,
  isTracingConfigured,
  type RunningSpan,
  type SpanDescription,
} from './tracing.js';
