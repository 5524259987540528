import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { TaxesModule } from '#libs/contexts/taxes';
import { SqlMetricsModule } from '#libs/usage';
import { Catalog } from './catalog.js';
import { CreateMetricHandler } from './metrics/commands/create-metric.js';
import { DeleteMetricHandler } from './metrics/commands/delete-metric.js';
import { UpdateMetricHandler } from './metrics/commands/update-metric.js';
import { ChangePlanHandler } from './plans/commands/change-plan.js';
import { CreatePlanHandler } from './plans/commands/create-plan.js';
import { RestorePlanVersionHandler } from './plans/commands/restore-plan-version.js';
import { UpdatePlanHandler } from './plans/commands/update-plan.js';
import { PlanPublicationGate } from './plans/plan-publication-gate.js';
import { PriceReferences } from './plans/price-references.js';
import { CreatePriceHandler } from './prices/commands/create-price.js';
import { DeletePriceHandler } from './prices/commands/delete-price.js';
import { UpdatePriceHandler } from './prices/commands/update-price.js';

/** Provides metrics, prices and plans. */
@Module({
  imports: [CqrsModule, ApprovalsModule, SqlMetricsModule, TaxesModule],
  providers: [
    CreateMetricHandler,
    UpdateMetricHandler,
    DeleteMetricHandler,
    CreatePriceHandler,
    UpdatePriceHandler,
    DeletePriceHandler,
    CreatePlanHandler,
    UpdatePlanHandler,
    RestorePlanVersionHandler,
    ChangePlanHandler,
    PriceReferences,
    PlanPublicationGate,
    Catalog,
  ],
  exports: [Catalog],
})
export class CatalogModule {}
