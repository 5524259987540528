import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule, PlannedPriceChanges } from '#libs/contexts/billing';
import { CatalogModule } from '#libs/contexts/catalog';
import { CustomersModule } from '#libs/contexts/customers';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { CancelPriceMigrationHandler } from './commands/cancel-price-migration.js';
import { SchedulePriceMigrationHandler } from './commands/schedule-price-migration.js';
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
  providers: [PriceMigrations, CancelPriceMigrationHandler, SchedulePriceMigrationHandler],
})
export class PriceMigrationsModule {}

/** Carrying migrations out: what the saga needs. */
@Module({
  imports: [CqrsModule, BillingModule, SubscriptionsModule],
  providers: [PriceMigrations, PriceMigrationProcess],
  exports: [PriceMigrationProcess],
})
export class PriceMigrationRunsModule {}
