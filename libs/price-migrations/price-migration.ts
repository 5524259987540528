import { InvalidRequest, NotFound, type Instant } from '#libs/core';
import { defineDecider, existing, type Actor } from '#libs/event-store';
import {
  priceMigrationEvents,
  type MigrationDetails,
  type MigrationOutcome,
  type PriceMigrationEvent,
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
  migrated: number;
  skipped: number;
  failed: number;
}

export type PriceMigrationCommand = { migrationId: string; at: Instant } & (
  | { type: 'SchedulePriceMigration'; details: MigrationDetails; scheduledBy: Actor }
  | { type: 'CancelPriceMigration' }
  | { type: 'StartPriceMigration' }
  /** What came of the subscriptions after `after`; the last ones if `isLast`. */
  | {
      type: 'RecordBatch';
      after: string | null;
      through: string | null;
      total: number;
      outcomes: MigrationOutcome[];
      isLast: boolean;
    }
);

type Of<Type extends PriceMigrationCommand['type']> = Extract<PriceMigrationCommand, { type: Type }>;

export const priceMigrationDecider = defineDecider<
  PriceMigration,
  PriceMigrationCommand,
  PriceMigrationEvent
>({
  category: 'pricemigration',
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
    }
  },
  evolve,
});

/** The migration, or NotFound if there never was one. */
export function requireMigration(migrationId: string, migration: PriceMigration | undefined): PriceMigration {
  if (!migration) throw NotFound.of('price migration', migrationId);
  return migration;
}

function schedule(
  { migrationId, at, details, scheduledBy }: Of<'SchedulePriceMigration'>,
  migration: PriceMigration | undefined,
): PriceMigrationEvent[] {
  if (migration) return [];
  if (details.effectiveAt <= at)
    throw InvalidRequest.field('effectiveAt', `must be in the future; it is ${at}`);
  return [{ type: 'PriceMigrationScheduled', data: { migrationId, at, ...details, scheduledBy } }];
}

function cancel(
  { migrationId, at }: Of<'CancelPriceMigration'>,
  { status }: PriceMigration,
): PriceMigrationEvent[] {
  if (status !== 'scheduled')
    throw new InvalidRequest(
      'migration_not_scheduled',
      `The migration is ${status.replaceAll('_', ' ')}; only a scheduled one can be canceled`,
    );
  return [{ type: 'PriceMigrationCanceled', data: { migrationId, at } }];
}

/** Who comes second, or after somebody has canceled it, finds nothing to start. */
function start(
  { migrationId, at }: Of<'StartPriceMigration'>,
  { status, effectiveAt }: PriceMigration,
): PriceMigrationEvent[] {
  if (status !== 'scheduled' || at < effectiveAt) return [];
  return [{ type: 'PriceMigrationStarted', data: { migrationId, at } }];
}

/** Each batch counts once, and after the one before it. */
function recordBatch(
  { migrationId, at, after, through, total, outcomes, isLast }: Of<'RecordBatch'>,
  migration: PriceMigration,
): PriceMigrationEvent[] {
  if (migration.status !== 'in_progress' || migration.through !== after) return [];
  const progressed: PriceMigrationEvent = {
    type: 'PriceMigrationProgressed',
    data: { migrationId, at, through, total: migration.total ?? total, outcomes },
  };
  if (!isLast) return [progressed];
  const { migrated, skipped, failed } = evolve(migration, progressed);
  return [
    progressed,
    { type: 'PriceMigrationFinished', data: { migrationId, at, migrated, skipped, failed } },
  ];
}

function evolve(state: PriceMigration | undefined, event: PriceMigrationEvent): PriceMigration {
  if (event.type === 'PriceMigrationScheduled') {
    const { at, ...details } = event.data;
    return {
      ...details,
      createdAt: at,
      status: 'scheduled',
      ...{ startedAt: null, finishedAt: null, canceledAt: null },
      ...{ through: null, total: null, migrated: 0, skipped: 0, failed: 0 },
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
      const { through, total, outcomes } = event.data;
      const count = (status: MigrationOutcome['status']) =>
        outcomes.filter((outcome) => outcome.status === status).length;
      return {
        ...migration,
        through,
        total,
        migrated: migration.migrated + count('migrated'),
        skipped: migration.skipped + count('skipped'),
        failed: migration.failed + count('failed'),
      };
    }
    case 'PriceMigrationFinished': {
      const status = event.data.failed > 0 ? 'completed_with_errors' : 'completed';
      return { ...migration, status, finishedAt: at };
    }
  }
}
