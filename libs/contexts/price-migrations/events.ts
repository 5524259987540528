import type { PriceMap } from '#libs/contexts/subscriptions';
import type { Instant } from '#libs/kernel/core';
import { v1, type Actor, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** The plans, the customers and the time of a migration. */
export interface MigrationDetails {
  name: string;
  fromPlanId: string;
  toPlanId: string;
  /** The time of the move: an instant for all subscriptions, or `period_end` for the end of each subscription's own period. */
  effectiveAt: string;
  /**
   * The customers that the migration is limited to. If null, all customers who are on the old plan at the time of the move are moved. With
   * `period_end`, a subscription that came to the old plan after the scheduling is never moved.
   */
  customerIds: string[] | null;
  /** The prices that take the place of prices of the old plan. Absent in events that are older than this field. */
  priceMap?: PriceMap;
}

/**
 * The possible outcomes of a migration for one subscription. `skipped`: the subscription had left the old plan or ended, had come to the
 * old plan too late for a move at the end of its period, or already had the new terms.
 */
export const SUBSCRIPTION_MOVE_STATUSES = ['migrated', 'skipped', 'failed'] as const;
export type SubscriptionMoveStatus = (typeof SUBSCRIPTION_MOVE_STATUSES)[number];

/** The outcome of a migration for one subscription. */
export interface SubscriptionMoveOutcome {
  subscriptionId: string;
  customerId: string;
  status: SubscriptionMoveStatus;
  /** The reason why the subscription was not migrated. Null if it was migrated. */
  code: string | null;
  message: string | null;
  /** The id of the invoice for the move to the new plan; null if the move has no invoice. */
  invoiceId: string | null;
}

/** A subscription that waits for the end of its period. */
export interface WaitingSubscription {
  subscriptionId: string;
  customerId: string;
  /** The end of the subscription's present period, at which the subscription is expected to move to the new plan. */
  until: Instant;
}

type MigrationFact<Type extends string, Data extends object> = DomainEvent<
  Type,
  { migrationId: string; at: Instant } & Data
>;

export type PriceMigrationEvent =
  | MigrationFact<'PriceMigrationScheduled', MigrationDetails & { scheduledBy: Actor }>
  | MigrationFact<'PriceMigrationCanceled', object>
  | MigrationFact<'PriceMigrationStarted', object>
  /**
   * A batch is done. `through` is the id of the last subscription of the batch. An empty last batch repeats the `through` of the batch
   * before, or null if it is the first one. `total` is the number of subscriptions to move, counted at the start of the migration.
   * `waiting` are the subscriptions that move at the end of their periods; absent if there are none. `isLast` means that no batch follows.
   */
  | MigrationFact<
      'PriceMigrationProgressed',
      {
        through: string | null;
        total: number;
        outcomes: SubscriptionMoveOutcome[];
        waiting?: WaitingSubscription[];
        isLast?: true;
      }
    >
  /**
   * The migration has handled subscriptions that waited for the end of their periods. `waiting` lists the subscriptions whose periods were
   * extended meanwhile, so that they wait again.
   */
  | MigrationFact<
      'PriceMigrationContinued',
      { outcomes: SubscriptionMoveOutcome[]; waiting: WaitingSubscription[] }
    >
  | MigrationFact<'PriceMigrationFinished', { migrated: number; skipped: number; failed: number }>;

export const priceMigrationEvents: EventCatalog<PriceMigrationEvent> = {
  PriceMigrationScheduled: v1,
  PriceMigrationCanceled: v1,
  PriceMigrationStarted: v1,
  PriceMigrationProgressed: v1,
  PriceMigrationContinued: v1,
  PriceMigrationFinished: v1,
};

/**
 * The reference from a plan to a price migration that moves subscriptions away from this plan. The migration may not exist, because the
 * reference is written before the migration is scheduled.
 */
export interface PriceMigrationReference {
  readonly migrationId: string;
  /** An instant, or `period_end`. */
  readonly effectiveAt: string;
}

export type PlanMigrationsEvent =
  /** The reference is written before the migration is scheduled, so that every scheduled migration can be found. */
  | DomainEvent<'PriceMigrationReferenced', { planId: string } & PriceMigrationReference>
  /** The reference is removed because the migration has finished or was canceled. */
  | DomainEvent<'PriceMigrationReferenceDropped', { planId: string; migrationId: string }>;

export const planMigrationsEvents: EventCatalog<PlanMigrationsEvent> = {
  PriceMigrationReferenced: v1,
  PriceMigrationReferenceDropped: v1,
};
