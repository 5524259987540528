import { InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { defineDecider, existing, type Actor } from '#libs/kernel/domain';
import {
  priceMigrationEvents,
  type MigrationDetails,
  type MigrationOutcome,
  type PriceMigrationEvent,
  type WaitingSubscription,
} from './events.js';

export const MIGRATION_STATUSES = [
  'scheduled',
  'in_progress',
  'completed',
  'completed_with_errors',
  'canceled',
] as const;
export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** A price migration as its events tell. What became of each subscription stands in the events alone. */
export interface PriceMigration extends MigrationDetails {
  migrationId: string;
  scheduledBy: Actor;
  createdAt: Instant;
  status: MigrationStatus;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  canceledAt: Instant | null;
  /** The last subscription that was looked at; null before the first. */
  through: string | null;
  /** How many subscriptions there were to move as it began; null before that. */
  total: number | null;
  /** Whether all of them have been looked at. */
  isListed: boolean;
  /** How many of them wait for the end of their periods. */
  waiting: number;
  migrated: number;
  skipped: number;
  failed: number;
}

export type PriceMigrationCommand = { migrationId: string; at: Instant } & (
  | { type: 'SchedulePriceMigration'; details: MigrationDetails; scheduledBy: Actor }
  | { type: 'CancelPriceMigration' }
  | { type: 'StartPriceMigration' }
  /** What came of the subscriptions after `after`, and which of them wait; the last ones if `isLast`. */
  | {
      type: 'RecordBatch';
      after: string | null;
      through: string | null;
      total: number;
      outcomes: MigrationOutcome[];
      waiting: WaitingSubscription[];
      isLast: boolean;
    }
  /** What came of subscriptions that had waited, and which of them still do. */
  | { type: 'RecordTurns'; outcomes: MigrationOutcome[]; waiting: WaitingSubscription[] }
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

/** The migration, or NotFound if there never was one. */
export function requireMigration(migrationId: string, migration: PriceMigration | undefined): PriceMigration {
  if (!migration) throw NotFound.of('price migration', migrationId);
  return migration;
}

/** Whether each subscription goes over at the end of its own period. */
export function isPeriodEnd({ effectiveAt }: Pick<MigrationDetails, 'effectiveAt'>): boolean {
  return effectiveAt === 'period_end';
}

/** Refuses a migration that would take effect before it is scheduled. */
export function requireNotPast(details: Pick<MigrationDetails, 'effectiveAt'>, at: Instant): void {
  if (!isPeriodEnd(details) && details.effectiveAt <= at)
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

/** Of one for the period's end, who has gone over stays there. */
function cancel(
  { migrationId, at }: Of<'CancelPriceMigration'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  const { status } = migration;
  const isRunning = isPeriodEnd(migration) && status === 'in_progress';
  if (status !== 'scheduled' && !isRunning)
    throw new InvalidRequest(
      'migration_not_scheduled',
      `The migration is ${status.replaceAll('_', ' ')}; only one that is scheduled, or waits for the ends of periods, can be canceled`,
    );
  return [{ type: 'PriceMigrationCanceled', data: { migrationId, at } }];
}

/** Who comes second, or after somebody has canceled it, finds nothing to start. */
function start(
  { migrationId, at }: Of<'StartPriceMigration'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  const isEarly = !isPeriodEnd(migration) && at < migration.effectiveAt;
  if (migration.status !== 'scheduled' || isEarly) return [];
  return [{ type: 'PriceMigrationStarted', data: { migrationId, at } }];
}

/** Whether the batch after that subscription is still to be done. */
export function isNextBatch({ status, through, isListed }: PriceMigration, after: string | null): boolean {
  return status === 'in_progress' && through === after && !isListed;
}

/** Each batch counts once, and after the one before it. */
function recordBatch(
  { migrationId, at, after, through, total, outcomes, waiting, isLast }: Of<'RecordBatch'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  if (!isNextBatch(migration, after)) return [];
  const progressed: PriceMigrationEvent = {
    type: 'PriceMigrationProgressed',
    data: {
      ...{ migrationId, at, through, total: migration.total ?? total, outcomes },
      ...(waiting.length > 0 ? { waiting } : {}),
      ...(isLast ? { isLast } : {}),
    },
  };
  return [progressed, ...finished(evolve(migration, progressed), at)];
}

/** Each command counts once; those of a canceled migration do not count. */
function recordTurns(
  { migrationId, at, outcomes, waiting }: Of<'RecordTurns'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  if (migration.status !== 'in_progress') return [];
  const continued: PriceMigrationEvent = {
    type: 'PriceMigrationContinued',
    data: { migrationId, at, outcomes, waiting },
  };
  return [continued, ...finished(evolve(migration, continued), at)];
}

function finished(
  { migrationId, isListed, waiting, migrated, skipped, failed }: PriceMigration,
  at: Instant,
): PriceMigrationEvent[] {
  if (!isListed || waiting > 0) return [];
  return [{ type: 'PriceMigrationFinished', data: { migrationId, at, migrated, skipped, failed } }];
}

function evolve(state: PriceMigration | undefined, event: PriceMigrationEvent): PriceMigration {
  if (event.type === 'PriceMigrationScheduled') {
    const { at, ...details } = event.data;
    return {
      ...details,
      createdAt: at,
      status: 'scheduled',
      ...{ startedAt: null, finishedAt: null, canceledAt: null },
      ...{ through: null, total: null, isListed: false, waiting: 0, migrated: 0, skipped: 0, failed: 0 },
    };
  }
  const migration = existing(state, event);
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
        ...{ through, total, isListed: isLast, waiting: migration.waiting + waiting.length },
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

function counted(migration: PriceMigration, outcomes: readonly MigrationOutcome[]): PriceMigration {
  const count = (status: MigrationOutcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  return {
    ...migration,
    migrated: migration.migrated + count('migrated'),
    skipped: migration.skipped + count('skipped'),
    failed: migration.failed + count('failed'),
  };
}
