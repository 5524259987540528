import type { Recorded } from '#libs/kernel/domain';
import { priceMigrationDecider, type PriceMigrationEvent } from '#libs/contexts/price-migrations';
import { appendOnlyProjection, snapshotProjection } from '#libs/kernel/projection';
import { MigrationOutcomeRow } from './migration-outcome-row.js';
import { PriceMigrationRow } from './price-migration-row.js';

/** All price migrations with their present state, for `GET /v1/price-migrations`. */
export const priceMigrationsProjection = snapshotProjection({
  name: 'price-migrations',
  version: 3,
  entity: PriceMigrationRow,
  decider: priceMigrationDecider,
  columnsOf: () => ({}),
});

/** The outcome of a price migration for each subscription, for `GET /v1/price-migrations/:id/customers`. */
export const migrationOutcomesProjection = appendOnlyProjection<MigrationOutcomeRow>({
  name: 'price-migration-outcomes',
  version: 2,
  entity: MigrationOutcomeRow,
  eventTypes: ['PriceMigrationProgressed', 'PriceMigrationContinued'],
  rowsOf(recorded) {
    const { data, metadata } = recorded as Recorded<
      Extract<PriceMigrationEvent, { type: 'PriceMigrationProgressed' | 'PriceMigrationContinued' }>
    >;
    const { workspaceId } = metadata;
    return data.outcomes.map((outcome) => ({ migrationId: data.migrationId, workspaceId, ...outcome }));
  },
});
