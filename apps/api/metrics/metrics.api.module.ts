import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { SqlMetricsModule } from '#libs/usage';
import { MetricsReadModule } from '#projections/metrics';
import { MetricsController } from './metrics.controller.js';

@Module({
  imports: [CqrsModule, CatalogModule, MetricsReadModule, SqlMetricsModule],
  controllers: [MetricsController],
})
export class MetricsApiModule {}
