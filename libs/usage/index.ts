export { AppendNotifier } from './append-notifications.js';
export { LogNameNumbers } from './ingest/log-name-numbers.js';
export { CustomerDirectory } from './ingest/customer-directory.js';
export { eventsOf, readUsageJson } from './ingest/request-events.js';
export {
  REJECTION_CODES,
  type RejectedEvent,
  type EventRefusal,
  type RejectionCode,
} from './ingest/rejection.js';
export type { AcceptedTimes } from './ingest/time-window.js';
export { GatedUsageLog } from './ingest/gated-usage-log.js';
export {
  GateNotReady,
  UsageGate,
  type CreditCharge,
  type ClaimingEvent,
  type ClaimingRow,
  type ClaimFinder,
  type GateConditions,
  type GateWriteCall,
  type LockedClaims,
  type CachedClaims,
  type RefusedRow,
  type UnreadyCustomer,
} from './ingest/usage-gate.js';
export { raiseGateVersion } from './ingest/gate-versions.js';
export { CombinedUsageGate } from './ingest/combined-usage-gate.js';
export { KEY_REUSED, UsageIngest, type IngestResult } from './ingest/usage-ingest.js';
export { RejectionPublisher } from './intake/rejection-publisher.js';
export { UsageConsumer } from './intake/usage-consumer.js';
export { UsageMessageIngest } from './intake/usage-message-ingest.js';
export { readSampleEvent } from './ingest/sample-event.js';
export { usageBounds } from './usage-bounds.js';
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
export { PastUsageMeters, type PastPositions } from './meters/past-usage-meters.js';
export { MeterWorker } from './meters/meter-worker.js';
export {
  MeterFoldFailed,
  MeterRebuild,
  MetersBusy,
  type MeterBuildOptions,
  type MeterRebuildResult,
} from './meters/rebuild/meter-rebuild.js';
export { foldCopiesOfLiveMeters } from './meters/rebuild/fold-copies.js';
export { dropOldMeters } from './meters/rebuild/old-meters.js';
export {
  MeterVerification,
  type MeterComparison,
  type MeterDifference,
} from './meters/rebuild/meter-verification.js';
export {
  distinctValuesStatement,
  measureInTransaction,
  type MeteredMeasureRequest,
} from './meters/measure-in-transaction.js';
export type { MeasuredGroup, MeasureRequest, Measurement } from './meters/measurement.js';
export { USAGE_CHANGED_CHANNEL } from './meters/mark-changed-watches-sql.js';
export { UsageMeters, type EventValue } from './meters/usage-meters.js';
export {
  measureSample,
  type SampleEvent,
  type SampleMeasurement,
  type SampleRange,
} from './meters/sample.js';
export { UsageEventQueries, type EventListRequest, type ListedEvent } from './queries/usage-event-queries.js';
export {
  EventAggregationQueries,
  WINDOW_SIZES,
  type EventQuery,
  type EventQueryResult,
  type WindowSize,
} from './queries/event-aggregation-queries.js';
export type { StoredEvent } from './queries/stored-event.js';
export { SqlMetricsModule } from './sql-metrics/sql-metrics.module.js';
export { SqlMetrics } from './sql-metrics/sql-metrics.js';
export {
  countingRuleOf,
  UNCOUNTED_REASON_CODES,
  uncountedReasonsOf,
  UNPRICED,
  unpricedReasonsOf,
  type CountingRule,
  type UncountedReason,
  type UncountedReasonCode,
} from './unmatched/counting-rules.js';
export { ChargeDirectory, type ChargeTest } from './unmatched/charge-directory.js';
export { MetricDirectory, type CountingRulesByEventName } from './unmatched/metric-directory.js';
export {
  UnmatchedUsageStore,
  USAGE_REPORT_KINDS,
  type UnmatchedUsageToReport,
  type UsageReportKey,
  type UsageReportKind,
} from './unmatched/unmatched-usage-store.js';
export type { UnmatchedUsage, UnmatchedWarning } from './unmatched/unmatched-tally.js';
export { UsageModule } from './usage.module.js';
export { UsageWatchStore, type UsageWatch } from './watches/usage-watch-store.js';
