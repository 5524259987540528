import { InvalidRequest, StateConflict, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated, type Actor } from '#libs/kernel/domain';
import {
  priceMigrationEvents,
  type MigrationDetails,
  type SubscriptionMoveOutcome,
  type PriceMigrationEvent,
  type WaitingSubscription,
} from './events.js';

/** `completed_with_errors`: some subscriptions could not be moved. */
export const MIGRATION_STATUSES = [
  'scheduled',
  'in_progress',
  'completed',
  'completed_with_errors',
  'canceled',
] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/**
 * The state of a price migration, built from its events. The state does not contain the outcome of each subscription; only the events
 * contain it.
 */
export interface PriceMigration extends MigrationDetails {
  migrationId: string;
  scheduledBy: Actor;
  createdAt: Instant;
  status: MigrationStatus;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  canceledAt: Instant | null;
  /** The id of the last subscription in the newest recorded batch. Null before the first batch. */
  through: string | null;
  /** The number of subscriptions to move, counted for the first batch. Null until the first batch is recorded. */
  total: number | null;
  /**
   * True when the migration has looked at all subscriptions, because its last batch is done. Some subscriptions can still wait for the end
   * of their periods.
   */
  isListed: boolean;
  /** The number of subscriptions that wait for the end of their periods. */
  waiting: number;
  /** The number of subscriptions that were moved to the new plan. */
  migrated: number;
  /** The number of subscriptions with the outcome `skipped`: see `SUBSCRIPTION_MOVE_STATUSES`. */
  skipped: number;
  /** The number of subscriptions that could not be moved. */
  failed: number;
}

/** The commands on a price migration. `at` is the workspace's time at which the migration changes. */
export type PriceMigrationCommand = { migrationId: string; at: Instant } & (
  | { type: 'SchedulePriceMigration'; details: MigrationDetails; scheduledBy: Actor }
  | { type: 'CancelPriceMigration' }
  | { type: 'StartPriceMigration' }
  /**
   * Records a batch: the outcomes of the subscriptions after `after`, and the subscriptions that wait for the end of their periods.
   * `isLast` means that no batch follows.
   */
  | {
      type: 'RecordBatch';
      after: string | null;
      through: string | null;
      total: number;
      outcomes: SubscriptionMoveOutcome[];
      waiting: WaitingSubscription[];
      isLast: boolean;
    }
  /** Records the outcomes of subscriptions that had waited, and the subscriptions that still wait. */
  | { type: 'RecordTurns'; outcomes: SubscriptionMoveOutcome[]; waiting: WaitingSubscription[] }
);

type Of<Type extends PriceMigrationCommand['type']> = Extract<PriceMigrationCommand, { type: Type }>;

export const priceMigrationDecider = defineDecider<
  PriceMigration,
  PriceMigrationCommand,
  PriceMigrationEvent
>({
  category: 'priceMigration',
  events: priceMigrationEvents,
  decide(command, migration) {
    if (command.type === 'SchedulePriceMigration') return schedule(command, migration);
    const known = requireMigration(command.migrationId, migration);
    switch (command.type) {
      case 'CancelPriceMigration':
        return cancel(command, known);
      case 'StartPriceMigration':
        return start(command, known);
      case 'RecordBatch':
        return recordBatch(command, known);
      case 'RecordTurns':
        return recordTurns(command, known);
    }
  },
  evolve,
});

/** Returns the migration. Throws NotFound if the migration was never scheduled. */
export function requireMigration(migrationId: string, migration: PriceMigration | undefined): PriceMigration {
  if (!migration) throw NotFound.of('price migration', migrationId);
  return migration;
}

/** Tells whether each subscription moves at the end of its own period. */
export function isAtPeriodEnd({ effectiveAt }: Pick<MigrationDetails, 'effectiveAt'>): boolean {
  return effectiveAt === 'period_end';
}

/** Refuses a migration with a time in the past. */
export function requireNotPast(details: Pick<MigrationDetails, 'effectiveAt'>, at: Instant): void {
  if (!isAtPeriodEnd(details) && details.effectiveAt <= at)
    throw InvalidRequest.field('effectiveAt', `must be in the future, or "period_end"; it is ${at}`);
}

function schedule(
  { migrationId, at, details, scheduledBy }: Of<'SchedulePriceMigration'>,
  migration: PriceMigration | undefined,
): PriceMigrationEvent[] {
  if (migration) return [];
  requireNotPast(details, at);
  return [{ type: 'PriceMigrationScheduled', data: { migrationId, at, ...details, scheduledBy } }];
}

/**
 * Cancels a migration that is scheduled, or that waits for the end of subscriptions' periods. Subscriptions that were moved stay on the new
 * plan.
 */
function cancel(
  { migrationId, at }: Of<'CancelPriceMigration'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  const { status } = migration;
  const isRunning = isAtPeriodEnd(migration) && status === 'in_progress';
  if (status !== 'scheduled' && !isRunning)
    throw new StateConflict(
      'migration_not_scheduled',
      `The migration is ${status.replaceAll('_', ' ')}; only one that is scheduled, or waits for the ends of periods, can be canceled`,
    );
  return [{ type: 'PriceMigrationCanceled', data: { migrationId, at } }];
}

/** Starts the migration. Returns no event if the migration's time is not reached, or if the migration was already started or canceled. */
function start(
  { migrationId, at }: Of<'StartPriceMigration'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  const isEarly = !isAtPeriodEnd(migration) && at < migration.effectiveAt;
  if (migration.status !== 'scheduled' || isEarly) return [];
  return [{ type: 'PriceMigrationStarted', data: { migrationId, at } }];
}

/**
 * Tells whether outcomes of the migration can be recorded. After a cancellation, the moves that billing made before it are still recorded.
 */
export function canRecord({ status, startedAt }: PriceMigration): boolean {
  return status === 'in_progress' || (status === 'canceled' && startedAt !== null);
}

/** Tells whether the next batch of the migration begins after the subscription `after`. */
export function isNextBatch(migration: PriceMigration, after: string | null): boolean {
  const { through, isListed } = migration;
  return canRecord(migration) && through === after && !isListed;
}

/** Records each batch only once, and only after the batch before it. */
function recordBatch(
  { migrationId, at, after, through, total, isLast, ...looked }: Of<'RecordBatch'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  if (!isNextBatch(migration, after)) return [];
  const { outcomes, waiting } = toRecord(migration, looked);
  const progressed: PriceMigrationEvent = {
    type: 'PriceMigrationProgressed',
    data: {
      migrationId,
      at,
      through,
      total: migration.total ?? total,
      outcomes,
      ...(waiting.length > 0 ? { waiting } : {}),
      ...(isLast ? { isLast } : {}),
    },
  };
  return [progressed, ...finished(evolve(migration, progressed), at)];
}

/** Records the outcomes of subscriptions that had waited for the end of their periods. */
function recordTurns(
  { migrationId, at, ...looked }: Of<'RecordTurns'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  if (!canRecord(migration)) return [];
  const { outcomes, waiting } = toRecord(migration, looked);
  if (migration.status === 'canceled' && outcomes.length === 0) return [];
  const continued: PriceMigrationEvent = {
    type: 'PriceMigrationContinued',
    data: { migrationId, at, outcomes, waiting },
  };
  return [continued, ...finished(evolve(migration, continued), at)];
}

/** Returns what is recorded of the processed subscriptions. A canceled migration has only moves, and no subscription waits for it. */
function toRecord(
  { status }: PriceMigration,
  { outcomes, waiting }: Pick<Of<'RecordTurns'>, 'outcomes' | 'waiting'>,
): Pick<Of<'RecordTurns'>, 'outcomes' | 'waiting'> {
  if (status !== 'canceled') return { outcomes, waiting };
  return { outcomes: outcomes.filter((outcome) => outcome.status === 'migrated'), waiting: [] };
}

/** A canceled migration does not finish. */
function finished(
  { migrationId, status, isListed, waiting, migrated, skipped, failed }: PriceMigration,
  at: Instant,
): PriceMigrationEvent[] {
  if (status === 'canceled' || !isListed || waiting > 0) return [];
  return [{ type: 'PriceMigrationFinished', data: { migrationId, at, migrated, skipped, failed } }];
}

function evolve(state: PriceMigration | undefined, event: PriceMigrationEvent): PriceMigration {
  if (event.type === 'PriceMigrationScheduled') {
    const { at, ...details } = event.data;
    return {
      ...details,
      createdAt: at,
      status: 'scheduled',
      startedAt: null,
      finishedAt: null,
      canceledAt: null,
      through: null,
      total: null,
      isListed: false,
      waiting: 0,
      migrated: 0,
      skipped: 0,
      failed: 0,
    };
  }
  const migration = requireCreated(state, event);
  const { at } = event.data;
  switch (event.type) {
    case 'PriceMigrationCanceled':
      return { ...migration, status: 'canceled', canceledAt: at };
    case 'PriceMigrationStarted':
      return { ...migration, status: 'in_progress', startedAt: at };
    case 'PriceMigrationProgressed': {
      const { through, total, outcomes, waiting = [], isLast = false } = event.data;
      return {
        ...counted(migration, outcomes),
        through,
        total,
        isListed: isLast,
        waiting: migration.waiting + waiting.length,
      };
    }
    case 'PriceMigrationContinued': {
      const { outcomes } = event.data;
      return { ...counted(migration, outcomes), waiting: migration.waiting - outcomes.length };
    }
    case 'PriceMigrationFinished': {
      const status = event.data.failed > 0 ? 'completed_with_errors' : 'completed';
      return { ...migration, status, finishedAt: at };
    }
  }
}

function counted(migration: PriceMigration, outcomes: readonly SubscriptionMoveOutcome[]): PriceMigration {
  const count = (status: SubscriptionMoveOutcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  return {
    ...migration,
    migrated: migration.migrated + count('migrated'),
    skipped: migration.skipped + count('skipped'),
    failed: migration.failed + count('failed'),
  };
}
