export { CancelPriceMigration } from './commands/cancel-price-migration.js';
export { requireMigratablePlans, SchedulePriceMigration } from './commands/schedule-price-migration.js';
export {
  migrationEffect,
  totalEffects,
  type MigrationEffect,
  type MoveTime,
  type TotalEffect,
} from './migration-effect.js';
export {
  SUBSCRIPTION_MOVE_STATUSES,
  type MigrationDetails,
  type SubscriptionMoveOutcome,
  type SubscriptionMoveStatus,
  type PlanMigrationsEvent,
  type PriceMigrationEvent,
} from './events.js';
export {
  PlanSubscriptionFinder,
  type MigrationScope,
  type PlanSubscription,
} from './plan-subscription-finder.js';
export { presentEffects, presentMigration, presentMigrationSummary, presentMoveOutcome } from './present.js';
export { MIGRATION_STATUSES, priceMigrationDecider, type PriceMigration } from './price-migration.js';
export { PriceMigrationProcess } from './price-migration.process.js';
export { PriceMigrationsModule } from './price-migrations.module.js';
