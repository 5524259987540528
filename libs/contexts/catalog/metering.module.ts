import { Module } from '@nestjs/common';
import { UsageModule } from '#libs/usage';
import { CatalogModule } from './catalog.module.js';
import { MeteringProcess } from './metrics/metering.process.js';

/** Provides the classes that count usage for the metrics of the catalog. */
@Module({
  imports: [CatalogModule, UsageModule],
  providers: [MeteringProcess],
  exports: [MeteringProcess],
})
export class MeteringModule {}
