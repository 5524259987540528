import { EXAMPLE, type WebhookContent, type WebhookEvents } from '#libs/manifest';
import type { PlanMigrationsEvent, PriceMigrationEvent } from './events.js';
import { presentMigrationSummary } from './present.js';
import { priceMigrationDecider } from './price-migration.js';

const { planId, nextPlanId, periodStart, periodEnd } = EXAMPLE;
const at = periodEnd;
const migrationId = 'mig_01JD00000000000000EXAMPLE4';
const scheduled: PriceMigrationEvent[] = [
  {
    type: 'PriceMigrationScheduled',
    data: {
      migrationId,
      at: periodStart,
      name: 'New prices',
      fromPlanId: planId,
      toPlanId: nextPlanId,
      effectiveAt: at,
      customerIds: null,
      scheduledBy: { type: 'user', id: 'usr_01JD0000000000000EXAMPLE15' },
    },
  },
];
const started: PriceMigrationEvent[] = [
  ...scheduled,
  { type: 'PriceMigrationStarted', data: { migrationId, at } },
];

/** The webhook events of price migrations. */
export const webhookEvents: WebhookEvents<PriceMigrationEvent | PlanMigrationsEvent> = {
  names: [
    'price_migration.scheduled',
    'price_migration.started',
    'price_migration.finished',
    'price_migration.canceled',
  ],
  messages: {
    PriceMigrationScheduled: migrationContent('price_migration.scheduled'),
    PriceMigrationStarted: migrationContent('price_migration.started'),
    PriceMigrationFinished: migrationContent('price_migration.finished'),
    PriceMigrationCanceled: migrationContent('price_migration.canceled'),
  },
  // The summary omits the customers, because there can be ten thousand, and the map of prices.
  resources: [{ decider: priceMigrationDecider, present: presentMigrationSummary }],
  examples: {
    'price_migration.scheduled': scheduled,
    'price_migration.started': started,
    'price_migration.finished': [
      ...started,
      { type: 'PriceMigrationFinished', data: { migrationId, at, migrated: 120, skipped: 3, failed: 0 } },
    ],
    'price_migration.canceled': [
      ...scheduled,
      { type: 'PriceMigrationCanceled', data: { migrationId, at: periodStart } },
    ],
  },
};

function migrationContent(event: string): (data: { migrationId: string }) => WebhookContent {
  return ({ migrationId }) => ({ event, data: { id: migrationId } });
}
