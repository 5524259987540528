import type { PlanMigrationsEvent, PriceMigrationEvent } from '#libs/contexts/price-migrations';
import { INTERNAL, type AuditRules } from './rule.js';

export const priceMigrationRules: AuditRules<PriceMigrationEvent> = {
  PriceMigrationScheduled: {
    action: 'price_migration.scheduled',
    id: 'migrationId',
    show: ['name', 'fromPlanId', 'toPlanId', 'effectiveAt', 'scheduledBy'],
  },
  PriceMigrationCanceled: { action: 'price_migration.canceled', id: 'migrationId' },
  PriceMigrationStarted: { action: 'price_migration.started', id: 'migrationId' },
  // What became of each subscription is an entry of that subscription.
  PriceMigrationProgressed: INTERNAL,
  PriceMigrationContinued: INTERNAL,
  PriceMigrationFinished: {
    action: 'price_migration.finished',
    id: 'migrationId',
    show: ['migrated', 'skipped', 'failed'],
  },
};

/** Where billing finds the migrations of a plan; what becomes of them stands on their own streams. */
export const planMigrationsRules: AuditRules<PlanMigrationsEvent> = {
  PriceMigrationReferenced: INTERNAL,
  PriceMigrationReferenceDropped: INTERNAL,
};
