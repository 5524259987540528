import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule, PlannedPriceChanges } from '#libs/contexts/billing';
import { CatalogModule } from '#libs/contexts/catalog';
import { CustomersModule } from '#libs/contexts/customers';
import { ReadModels } from '#libs/kernel/projection';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { SchedulePriceMigrationHandler } from './commands/schedule-price-migration.js';
import { PlanSubscribers } from './plan-subscribers.js';
import { PlannedPriceMigrations } from './planned-price-migrations.js';
import { PriceMigrationProcess } from './price-migration.process.js';
import { PriceMigrations } from './price-migrations.js';

/** Tells billing, wherever it is in the app, which migrations a subscription meets at the end of its period. */
@Global()
@Module({
  imports: [SubscriptionsModule],
  providers: [{ provide: PlannedPriceChanges, useClass: PlannedPriceMigrations }],
  exports: [PlannedPriceChanges],
})
export class PlannedPriceMigrationsModule {}

/** Scheduling and canceling migrations: what the API needs. */
@Module({
  imports: [CqrsModule, CatalogModule, CustomersModule],
  providers: [PriceMigrations, SchedulePriceMigrationHandler],
  exports: [PriceMigrations],
})
export class PriceMigrationsModule {}

/** Carrying migrations out: what the saga needs. */
@Module({})
export class PriceMigrationRunsModule {
  /** @param subscribers the read model that finds whom a migration covers */
  static with(subscribers: Type<PlanSubscribers>): DynamicModule {
    return {
      module: PriceMigrationRunsModule,
      imports: [CqrsModule, BillingModule, SubscriptionsModule],
      providers: [
        PriceMigrations,
        ReadModels,
        { provide: PlanSubscribers, useClass: subscribers },
        PriceMigrationProcess,
      ],
      exports: [PriceMigrationProcess],
    };
  }
}
