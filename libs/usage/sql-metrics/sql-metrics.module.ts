import { Module } from '@nestjs/common';
import { SqlMetrics } from './sql-metrics.js';

/** The SQL of metrics, for who measures it and for who takes it in. Needs PostgresModule. */
@Module({ providers: [SqlMetrics], exports: [SqlMetrics] })
export class SqlMetricsModule {}
