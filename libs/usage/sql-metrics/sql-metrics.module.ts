import { Module } from '@nestjs/common';
import { SqlMetrics } from './sql-metrics.js';

/** Provides the service that checks the SQL of metrics and measures usage with it. Needs PostgresModule. */
@Module({ providers: [SqlMetrics], exports: [SqlMetrics] })
export class SqlMetricsModule {}
