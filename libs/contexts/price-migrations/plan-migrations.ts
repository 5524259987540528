import { defineDecider, v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** A price migration that moves subscriptions from the plan, or that was about to be scheduled. */
export interface MigrationReference {
  readonly migrationId: string;
  /** An instant, or `period_end`. */
  readonly effectiveAt: string;
}

/**
 * The price migrations from one plan that are not over, in the order in which they were scheduled. Billing finds them here. The status of
 * each migration is on its own stream.
 */
export interface PlanMigrations {
  readonly references: readonly MigrationReference[];
}

export type PlanMigrationsEvent =
  /** Written before the migration is scheduled, so that every scheduled migration can be found. */
  | DomainEvent<'PriceMigrationReferenced', { planId: string } & MigrationReference>
  /** The migration is over, or was canceled. */
  | DomainEvent<'PriceMigrationReferenceDropped', { planId: string; migrationId: string }>;

export type PlanMigrationsCommand =
  | { type: 'ReferencePriceMigration'; planId: string; reference: MigrationReference }
  | { type: 'DropPriceMigration'; planId: string; migrationId: string };

const events: EventCatalog<PlanMigrationsEvent> = {
  PriceMigrationReferenced: v1,
  PriceMigrationReferenceDropped: v1,
};

const initialState: PlanMigrations = { references: [] };

export const planMigrationsDecider = defineDecider<
  PlanMigrations,
  PlanMigrationsCommand,
  PlanMigrationsEvent
>({
  category: 'planMigrations',
  events,
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
