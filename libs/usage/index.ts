export { AppendNotifier } from './append-notifications.js';
export { LogNames } from './ingest/log-names.js';
export { CustomerDirectory } from './ingest/customer-directory.js';
export { eventsOf, readUsageJson } from './ingest/request-events.js';
export type { RejectedEvent, EventRefusal, RejectionCode } from './ingest/rejection.js';
export type { AcceptedTimes } from './ingest/time-window.js';
export { GatedUsageLog } from './ingest/gated-usage-log.js';
export {
  GateNotReady,
  UsageGate,
  type CreditCharge,
  type ClaimedEvent,
  type ClaimedRow,
  type ClaimFinder,
  type GateDemands,
  type GateWrite,
  type OpenGate,
  type RememberedGate,
  type UnreadyCustomer,
} from './ingest/usage-gate.js';
export { raiseGateVersion } from './ingest/gate-versions.js';
export { UsageGates } from './ingest/usage-gates.js';
export { UsageIngest, type IngestResult } from './ingest/usage-ingest.js';
export { Rejections } from './intake/rejections.js';
export { UsageConsumer } from './intake/usage-consumer.js';
export { UsageIntake } from './intake/usage-intake.js';
export { readSampleEvent } from './ingest/sample-event.js';
export { eventBounds } from './event-bounds.js';
export {
  aggregationFaults,
  type Aggregation,
  type AggregationFault,
  type FilterValue,
  type MeterAggregation,
  type MeterType,
  type MeterDefinition,
  type MetricDefinition,
  type SqlAggregation,
} from './meters/definition.js';
export { createContribution, propertyReader, scalarText } from './meters/contribution.js';
export { LogHead, type Watermark } from './log-head.js';
export { meterLag } from './metrics.js';
export { MeterStore } from './meters/meter-store.js';
export { MeterWorker } from './meters/meter-worker.js';
export {
  MeterFailed,
  MeterRebuild,
  MetersBusy,
  type MeterBuildOptions,
  type MeterRebuildResult,
} from './meters/rebuild/meter-rebuild.js';
export { dropOldMeters } from './meters/rebuild/old-meters.js';
export {
  MeterVerification,
  type MeterComparison,
  type MeterDifference,
} from './meters/rebuild/meter-verification.js';
export {
  distinctValuesStatement,
  measureInTransaction,
  type MeterRequest,
} from './meters/measure-visible.js';
export type { MeasuredGroup, MeasureRequest, Measurement } from './meters/measurement.js';
export { USAGE_CHANGED_CHANNEL } from './meters/moved-usage-sql.js';
export { UsageMeters, type EventValue } from './meters/usage-meters.js';
export {
  measureSample,
  type SampleEvent,
  type SampleMeasurement,
  type SampleRange,
} from './meters/sample.js';
export { ListEvents, type EventListRequest } from './queries/list-events.js';
export {
  QueryEvents,
  WINDOW_SIZES,
  type EventQuery,
  type EventQueryResult,
  type WindowSize,
} from './queries/query-events.js';
export type { StoredEvent } from './queries/stored-event.js';
export { SqlMetricsModule } from './sql-metrics/sql-metrics.module.js';
export { SqlMetrics } from './sql-metrics/sql-metrics.js';
export {
  countingRuleOf,
  FINDING_CODES,
  findingsOf,
  type CountingRule,
  type UncountedReason,
  type FindingCode,
} from './unmatched/event-counter.js';
export { MetricDirectory, type CountingRules } from './unmatched/metric-directory.js';
export { UnreportedUsageStore, type UnreportedUsage } from './unmatched/unreported-usage.js';
export type { UnmatchedUsage, UnmatchedWarning } from './unmatched/unmatched-tally.js';
export { UsageModule } from './usage.module.js';
export { UsageChangeWatchers, type UsageWatch } from './watches/usage-watches.js';
