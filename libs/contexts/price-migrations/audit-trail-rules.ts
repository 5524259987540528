import type { PlanMigrationsEvent, PriceMigrationEvent } from './events.js';
import { INTERNAL, type AuditTrailRules } from '#libs/manifest';

export const auditTrailRules: AuditTrailRules<PriceMigrationEvent | PlanMigrationsEvent> = {
  PriceMigrationScheduled: {
    action: 'price_migration.scheduled',
    id: 'migrationId',
    show: ['name', 'fromPlanId', 'toPlanId', 'effectiveAt', 'scheduledBy'],
  },
  PriceMigrationCanceled: { action: 'price_migration.canceled', id: 'migrationId' },
  PriceMigrationStarted: { action: 'price_migration.started', id: 'migrationId' },
  // The outcome of each subscription is an entry of that subscription.
  PriceMigrationProgressed: INTERNAL,
  PriceMigrationContinued: INTERNAL,
  PriceMigrationFinished: {
    action: 'price_migration.finished',
    id: 'migrationId',
    show: ['migrated', 'skipped', 'failed'],
  },
  // Billing finds the migrations of a plan by these events. The status of each migration is on its own stream.
  PriceMigrationReferenced: INTERNAL,
  PriceMigrationReferenceDropped: INTERNAL,
};
