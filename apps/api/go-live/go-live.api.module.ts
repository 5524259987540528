import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GoLiveModule } from '#libs/contexts/go-live';
import { CouponsReadModule } from '#projections/coupons';
import { CreditTypesReadModule } from '#projections/credit-types';
import { MetricsReadModule } from '#projections/metrics';
import { PlansReadModule } from '#projections/plans';
import { PricesReadModule } from '#projections/prices';
import { TaxRatesReadModule } from '#projections/tax-rates';
import { GoLiveController } from './go-live.controller.js';
import { SandboxCatalogReader } from './sandbox-catalog-reader.js';

@Module({
  imports: [
    CqrsModule,
    GoLiveModule,
    CouponsReadModule,
    CreditTypesReadModule,
    MetricsReadModule,
    PlansReadModule,
    PricesReadModule,
    TaxRatesReadModule,
  ],
  controllers: [GoLiveController],
  providers: [SandboxCatalogReader],
})
export class GoLiveApiModule {}
