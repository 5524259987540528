import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { BillingModule, PlannedMigrationFinder } from '#libs/contexts/billing';
import { CatalogModule } from '#libs/contexts/catalog';
import { CustomersModule } from '#libs/contexts/customers';
import { SubscriptionsModule } from '#libs/contexts/subscriptions';
import { CancelPriceMigrationHandler } from './commands/cancel-price-migration.js';
import { SchedulePriceMigrationHandler } from './commands/schedule-price-migration.js';
import { PlannedPriceMigrationFinder } from './planned-price-migration-finder.js';
import { PriceMigrationProcess } from './price-migration.process.js';
import { PriceMigrations } from './price-migrations.js';

/** Provides the planned price migrations to billing. The module is global. */
@Global()
@Module({
  imports: [SubscriptionsModule],
  providers: [{ provide: PlannedMigrationFinder, useClass: PlannedPriceMigrationFinder }],
  exports: [PlannedMigrationFinder],
})
export class PlannedPriceMigrationsModule {}

/** Schedules and cancels migrations, for the API. */
@Module({
  imports: [CqrsModule, CatalogModule, CustomersModule],
  providers: [PriceMigrations, CancelPriceMigrationHandler, SchedulePriceMigrationHandler],
})
export class PriceMigrationsModule {}

/** Runs migrations, for the saga. */
@Module({
  imports: [CqrsModule, BillingModule, SubscriptionsModule],
  providers: [PriceMigrations, PriceMigrationProcess],
  exports: [PriceMigrationProcess],
})
export class PriceMigrationRunsModule {}
