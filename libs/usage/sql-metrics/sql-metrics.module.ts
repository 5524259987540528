import { Module } from '@nestjs/common';
import { SqlMetrics } from './sql-metrics.js';

/** Provides the SQL of metrics, for its measurement and for its check on creation. Needs PostgresModule. */
@Module({ providers: [SqlMetrics], exports: [SqlMetrics] })
export class SqlMetricsModule {}
