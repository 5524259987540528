import type { Instant } from '#libs/kernel/core';
import { v1, type Actor, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** What is to be moved where, and when. */
export interface MigrationDetails {
  name: string;
  fromPlanId: string;
  toPlanId: string;
  /** An instant for all; or `period_end`: for each subscription the end of its own period. */
  effectiveAt: string;
  /** Whom it is limited to; null: everybody who is on the plan then. */
  customerIds: string[] | null;
}

/** `skipped`: there was nothing to move any more. */
export const OUTCOMES = ['migrated', 'skipped', 'failed'] as const;
export type OutcomeStatus = (typeof OUTCOMES)[number];

/** What became of one subscription. */
export interface MigrationOutcome {
  subscriptionId: string;
  customerId: string;
  status: OutcomeStatus;
  /** Why it was not migrated. */
  code: string | null;
  message: string | null;
  /** The invoice that the change led to, if any. */
  invoiceId: string | null;
}

/** A subscription whose turn has not come. */
export interface WaitingSubscription {
  subscriptionId: string;
  customerId: string;
  /** The end of its period. */
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
   * A batch is done. `through`: the last subscription of it; `total`: how many there were to move when it began; `waiting`: those that go
   * over at the end of their periods, absent for none; `isLast`: there is no batch after it.
   */
  | MigrationFact<
      'PriceMigrationProgressed',
      {
        through: string | null;
        total: number;
        outcomes: MigrationOutcome[];
        waiting?: WaitingSubscription[];
        isLast?: true;
      }
    >
  /** The turn of subscriptions has come that had waited for it. `waiting`: those of them whose periods end later now. */
  | MigrationFact<'PriceMigrationContinued', { outcomes: MigrationOutcome[]; waiting: WaitingSubscription[] }>
  | MigrationFact<'PriceMigrationFinished', { migrated: number; skipped: number; failed: number }>;

export const priceMigrationEvents: EventCatalog<PriceMigrationEvent> = {
  PriceMigrationScheduled: v1,
  PriceMigrationCanceled: v1,
  PriceMigrationStarted: v1,
  PriceMigrationProgressed: v1,
  PriceMigrationContinued: v1,
  PriceMigrationFinished: v1,
};
