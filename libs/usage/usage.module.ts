import { Module } from '@nestjs/common';
import { AppendNotifier } from './append-notifications.js';
import { LogNameNumbers } from './ingest/log-name-numbers.js';
import { UsageLog } from './ingest/usage-log.js';
import { LogHead } from './log-head.js';
import { MeterStore } from './meters/meter-store.js';
import { UsageMeters } from './meters/usage-meters.js';
import { UsageEventQueries } from './queries/usage-event-queries.js';
import { EventAggregationQueries } from './queries/event-aggregation-queries.js';
import { SqlMetricsModule } from './sql-metrics/sql-metrics.module.js';
import { UnmatchedUsageStore } from './unmatched/unmatched-usage-store.js';
import { UsageWatchStore } from './watches/usage-watch-store.js';

/**
 * Provides the usage log and its meters. Needs PostgresModule and WorkspacesModule. A program that stores events must also provide
 * UsageIngest, GatedUsageLog, a CustomerDirectory, a MetricDirectory and a UsageGate. A program that keeps the meters up to date runs a
 * MeterWorker.
 */
@Module({
  imports: [SqlMetricsModule],
  providers: [
    LogNameNumbers,
    AppendNotifier,
    UsageLog,
    LogHead,
    MeterStore,
    UsageMeters,
    UsageWatchStore,
    UnmatchedUsageStore,
    UsageEventQueries,
    EventAggregationQueries,
  ],
  exports: [
    LogNameNumbers,
    AppendNotifier,
    UsageLog,
    LogHead,
    MeterStore,
    UsageMeters,
    UsageWatchStore,
    UnmatchedUsageStore,
    UsageEventQueries,
    EventAggregationQueries,
  ],
})
export class UsageModule {}
