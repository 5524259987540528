import { Module } from '@nestjs/common';
import { AppendNotifier } from './append-notifications.js';
import { LogNames } from './ingest/log-names.js';
import { UsageLog } from './ingest/usage-log.js';
import { LogHead } from './log-head.js';
import { MeterStore } from './meters/meter-store.js';
import { UsageMeters } from './meters/usage-meters.js';
import { ListEvents } from './queries/list-events.js';
import { QueryEvents } from './queries/query-events.js';
import { SqlMetricsModule } from './sql-metrics/sql-metrics.module.js';
import { UnreportedUsageStore } from './unmatched/unreported-usage.js';
import { UsageChangeWatchers } from './watches/usage-watches.js';

/**
 * Provides the usage log and its meters. Needs PostgresModule and WorkspacesModule. A program that stores events must also provide
 * UsageIngest, GatedUsageLog, a CustomerDirectory, a MetricDirectory and a UsageGate. A program that keeps the meters up to date runs a
 * MeterWorker.
 */
@Module({
  imports: [SqlMetricsModule],
  providers: [
    LogNames,
    AppendNotifier,
    UsageLog,
    LogHead,
    MeterStore,
    UsageMeters,
    UsageChangeWatchers,
    UnreportedUsageStore,
    ListEvents,
    QueryEvents,
  ],
  exports: [
    LogNames,
    AppendNotifier,
    UsageLog,
    LogHead,
    MeterStore,
    UsageMeters,
    UsageChangeWatchers,
    UnreportedUsageStore,
    ListEvents,
    QueryEvents,
  ],
})
export class UsageModule {}
