import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MetricQueries } from './metric-queries.js';
import { MetricRow } from './metric-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([MetricRow])],
  providers: [MetricQueries],
  exports: [MetricQueries],
})
export class MetricsReadModule {}
