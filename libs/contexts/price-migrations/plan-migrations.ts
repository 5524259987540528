import { defineDecider } from '#libs/kernel/domain';
import { planMigrationsEvents, type PriceMigrationReference, type PlanMigrationsEvent } from './events.js';

/**
 * The unfinished price migrations from one plan, in the order in which they were scheduled. Billing reads this list to find planned
 * migrations. The status of each migration is on its own stream.
 */
export interface PlanMigrations {
  readonly references: readonly PriceMigrationReference[];
}

export type PlanMigrationsCommand =
  | { type: 'ReferencePriceMigration'; planId: string; reference: PriceMigrationReference }
  | { type: 'DropPriceMigration'; planId: string; migrationId: string };

export const initialState: PlanMigrations = { references: [] };

export const planMigrationsDecider = defineDecider<
  PlanMigrations,
  PlanMigrationsCommand,
  PlanMigrationsEvent
>({
  category: 'planMigrations',
  events: planMigrationsEvents,
  decide(command, { references } = initialState) {
    const { planId } = command;
    const isKnown = (id: string) => references.some(({ migrationId }) => migrationId === id);
    switch (command.type) {
      case 'ReferencePriceMigration':
        return isKnown(command.reference.migrationId)
          ? []
          : [{ type: 'PriceMigrationReferenced', data: { planId, ...command.reference } }];
      case 'DropPriceMigration': {
        const { migrationId } = command;
        return isKnown(migrationId)
          ? [{ type: 'PriceMigrationReferenceDropped', data: { planId, migrationId } }]
          : [];
      }
    }
  },
  evolve({ references } = initialState, event) {
    switch (event.type) {
      case 'PriceMigrationReferenced': {
        const { migrationId, effectiveAt } = event.data;
        return { references: [...references, { migrationId, effectiveAt }] };
      }
      case 'PriceMigrationReferenceDropped': {
        const { migrationId } = event.data;
        return { references: references.filter((one) => one.migrationId !== migrationId) };
      }
    }
  },
});
