import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import pMap from 'p-map';
import { amendmentIdOf, AmendSubscription, DueChangeApplier } from '#libs/contexts/billing';
import { Subscriptions, type Amendment } from '#libs/contexts/subscriptions';
import { AppError, Conflict, InvalidRequest, NotFound, Unavailable, type Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import {
  AggregateStore,
  followUpContext,
  toEventStoreUnavailable,
  trackWrites,
  type CommandContext,
} from '#libs/kernel/event-store';
import { toDatabaseUnavailable } from '#libs/kernel/postgres';
import { ReadModelProgress } from '#libs/kernel/projection';
import {
  ProcessManager,
  reactByEventType,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { SubscriptionMoveOutcome, PriceMigrationEvent, WaitingSubscription } from './events.js';
import { amendmentIdOfMove, subscriptionMoveContext } from './move-ids.js';
import { PlanSubscriptionFinder, type PlanSubscription } from './plan-subscription-finder.js';
import {
  canRecord,
  isNextBatch,
  isAtPeriodEnd,
  priceMigrationDecider,
  type PriceMigration,
} from './price-migration.js';
import { PriceMigrations } from './price-migrations.js';
import { migrationActionOf } from './migration-action.js';

/**
 * The number of subscriptions in one batch. The outcomes of a batch are recorded together, and a crash repeats the whole batch. Within a
 * batch, `AT_ONCE` subscriptions are moved at the same time.
 */
const BATCH = 25;
const AT_ONCE = 8;
/**
 * The maximum number of attempts to move a subscription. An attempt fails if another command changes the subscription at the same moment.
 */
const MAX_TRIES = 5;
/**
 * The number of attempts of a task, which take about an hour, after which a subscription whose move still ends in a defect counts as
 * failed. A move that fails because the database or the event store does not answer never counts as failed.
 */
const MAX_ATTEMPTS = 20;
/** The time to wait until the read models show all subscriptions that were created before the migration began. */
const READABLE_MILLIS = 30_000;

/** The message for each reason to skip a subscription. */
const SKIP_MESSAGES = {
  not_on_plan: 'It is not on the plan any more',
  on_plan_since: 'It came to the plan after the migration was scheduled',
} as const;

interface Tasks {
  'start-migration': { migrationId: string };
  /** Finds the next subscriptions to move, which have ids after `after`. */
  'migrate-batch': { migrationId: string; after: string | null };
  /** Moves these subscriptions. The subscriptions were found before any of them was moved, so a repeated task contains all of them. */
  'move-batch': Batch;
  /** Moves the subscriptions in `subscribers` at `until`, the expected end of their periods. */
  'take-turns': { migrationId: string; subscribers: PlanSubscription[]; until: Instant };
  /** Removes the plan's reference to a migration that is over, so that billing no longer finds the migration. */
  'drop-reference': { migrationId: string };
}

/** The outcomes of the processed subscriptions, and the subscriptions that wait for the end of their periods. */
interface BatchResult {
  outcomes: SubscriptionMoveOutcome[];
  waiting: WaitingSubscription[];
}

interface Batch {
  migrationId: string;
  after: string | null;
  subscribers: PlanSubscription[];
  /** The number of subscriptions to move, counted at the start of the migration. */
  total: number;
  isLast: boolean;
}

/**
 * Moves subscriptions at a migration's time in batches, and records the outcome of each subscription. With a migration at the end of
 * periods, billing moves each subscription instead of renewing it. Billing does this before this process handles the subscription, or when
 * this process applies the subscription's due changes.
 */
@Injectable()
export class PriceMigrationProcess extends ProcessManager<Tasks> {
  readonly name = 'price-migrations';
  private readonly logger = new Logger('price migrations');

  constructor(
    clock: WorkspaceClock,
    private readonly aggregates: AggregateStore,
    private readonly commands: CommandBus,
    private readonly migrations: PriceMigrations,
    private readonly cycles: DueChangeApplier,
    private readonly subscribers: PlanSubscriptionFinder,
    private readonly subscriptions: Subscriptions,
    private readonly readModels: ReadModelProgress,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<PriceMigrationEvent, Tasks>({
    PriceMigrationScheduled: ({ data }) => {
      const { migrationId, effectiveAt } = data;
      const when = isAtPeriodEnd(data) ? {} : { dueAt: effectiveAt };
      return [{ name: 'start-migration', payload: { migrationId }, ...when }];
    },
    // The event of a batch creates the task of the next batch, so a crash cannot lose the task. The last batch creates no task.
    PriceMigrationProgressed: ({ data }) => [
      ...(data.isLast ? [] : [batchAfter(data.migrationId, data.through)]),
      ...tasksForWaiting(data.migrationId, data.waiting ?? []),
    ],
    PriceMigrationContinued: ({ data }) => tasksForWaiting(data.migrationId, data.waiting),
    PriceMigrationCanceled: ({ data }) => [dropReference(data)],
    PriceMigrationFinished: ({ data }) => [dropReference(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'start-migration': ({ migrationId }, context) => this.start(context, migrationId),
    'migrate-batch': (payload, context) => this.find(context, payload),
    'move-batch': (payload, context, { attempt }) => this.migrate(context, payload, attempt),
    'take-turns': (payload, context, { attempt }) => this.takeTurns(context, payload, attempt),
    'drop-reference': ({ migrationId }, context) => this.drop(context, migrationId),
  };

  private async start(context: CommandContext, migrationId: string): Promise<TaskResult> {
    const { status } = await trackWrites(async (tracker) => {
      const id = aggregateId(context.workspaceId, migrationId);
      const command = { type: 'StartPriceMigration', at: context.now, migrationId } as const;
      const following = followUpContext(context, 'start');
      const { state } = await this.aggregates.execute(priceMigrationDecider, id, following, command);
      const { position } = tracker;
      if (position !== undefined && !(await this.readModels.waitFor(position, READABLE_MILLIS)))
        throw new Unavailable(
          'read_models_behind',
          'The read models do not show all subscriptions of the plan yet',
        );
      return state;
    });
    return status === 'in_progress' ? { tasks: [batchAfter(migrationId, null)] } : {};
  }

  private async find(
    { workspaceId }: CommandContext,
    { migrationId, after }: Tasks['migrate-batch'],
  ): Promise<TaskResult> {
    const migration = await this.migrations.require(workspaceId, migrationId);
    if (!isNextBatch(migration, after)) return {};
    const { fromPlanId: planId, customerIds } = migration;
    const scope = { workspaceId, migrationId, planId, customerIds };
    const total = migration.total ?? (await this.subscribers.count(scope));
    const subscribers = await this.subscribers.page(scope, after, BATCH);
    const payload: Batch = { migrationId, after, subscribers, total, isLast: subscribers.length < BATCH };
    return { tasks: [{ name: 'move-batch', key: `move after ${after ?? 'nothing'}`, payload }] };
  }

  private async migrate(
    context: CommandContext,
    { migrationId, after, subscribers, total, isLast }: Batch,
    attempt: number,
  ): Promise<void> {
    const { workspaceId, now: at } = context;
    const migration = await this.migrations.require(workspaceId, migrationId);
    if (!isNextBatch(migration, after)) return;
    const looked = await this.look(context, migration, subscribers, { waitedUntil: null, attempt });
    const through = subscribers.at(-1)?.subscriptionId ?? after;
    const id = aggregateId(workspaceId, migrationId);
    await this.aggregates.execute(priceMigrationDecider, id, followUpContext(context, 'record'), {
      type: 'RecordBatch',
      migrationId,
      at,
      after,
      through,
      total,
      ...looked,
      isLast,
    });
  }

  private async takeTurns(
    context: CommandContext,
    { migrationId, subscribers, until }: Tasks['take-turns'],
    attempt: number,
  ): Promise<void> {
    const { workspaceId, now: at } = context;
    const migration = await this.migrations.require(workspaceId, migrationId);
    if (!canRecord(migration)) return;
    const looked = await this.look(context, migration, subscribers, { waitedUntil: until, attempt });
    const id = aggregateId(workspaceId, migrationId);
    const command = { type: 'RecordTurns', migrationId, at, ...looked } as const;
    await this.aggregates.execute(priceMigrationDecider, id, followUpContext(context, 'record'), command);
  }

  private async drop(context: CommandContext, migrationId: string): Promise<void> {
    const { fromPlanId: planId } = await this.migrations.require(context.workspaceId, migrationId);
    await this.migrations.changeReferences(context, { type: 'DropPriceMigration', planId, migrationId });
  }

  private async look(
    context: CommandContext,
    migration: PriceMigration,
    subscribers: readonly PlanSubscription[],
    { waitedUntil, attempt }: { waitedUntil: Instant | null; attempt: number },
  ): Promise<BatchResult> {
    if (migration.status === 'canceled') return this.lookForMoved(context, migration, subscribers);
    const looked: BatchResult = { outcomes: [], waiting: [] };
    const failures: unknown[] = [];
    const move = async (one: PlanSubscription): Promise<void> => {
      try {
        const found = await this.move(context, migration, one, {
          waitedUntil,
          canFail: attempt >= MAX_ATTEMPTS,
        });
        if ('until' in found) looked.waiting.push(found);
        else looked.outcomes.push(found);
      } catch (error) {
        // A subscription that always fails must not stop the move of the subscriptions after it.
        failures.push(error);
      }
    };
    await pMap(subscribers, move, { concurrency: AT_ONCE });
    if (failures.length > 0) throw failures[0];
    return looked;
  }

  /** Finds the subscriptions that a canceled migration has moved. Moves no subscription. */
  private async lookForMoved(
    { workspaceId }: CommandContext,
    { migrationId }: PriceMigration,
    subscribers: readonly PlanSubscription[],
  ): Promise<BatchResult> {
    const find = async ({ subscriptionId, customerId }: PlanSubscription) => {
      const moved = await this.appliedAmendment(workspaceId, migrationId, subscriptionId);
      return moved ? [migratedOutcome({ subscriptionId, customerId }, moved)] : [];
    };
    const found = await pMap(subscribers, find, { concurrency: AT_ONCE });
    return { outcomes: found.flat(), waiting: [] };
  }

  /**
   * Moves a subscription. First applies the subscription's due changes, because they can move the subscription or change its plan. A
   * refusal is an outcome. With `canFail`, a defect is an outcome too.
   */
  private async move(
    context: CommandContext,
    migration: PriceMigration,
    { subscriptionId, customerId }: PlanSubscription,
    { waitedUntil, canFail }: { waitedUntil: Instant | null; canFail: boolean },
  ): Promise<SubscriptionMoveOutcome | WaitingSubscription> {
    const { migrationId } = migration;
    const about = { subscriptionId, customerId, code: null, message: null, invoiceId: null };
    const request = {
      kind: 'price_migration',
      terms: { planId: migration.toPlanId, priceMap: migration.priceMap },
      prorate: true,
      effectiveAt: null,
      migrationId,
    } as const;
    const moving = subscriptionMoveContext(
      followUpContext(context, `move ${subscriptionId}`),
      migrationId,
      subscriptionId,
    );
    for (let attempt = 1; ; attempt++)
      try {
        const { subscription } = await this.cycles.applyDueChanges(moving, subscriptionId);
        const action = migrationActionOf(subscription, migration, {
          amendmentId: amendmentIdOf(moving),
          waitedUntil,
        });
        if (action === 'later') return { subscriptionId, customerId, until: subscription.period.end };
        if (action !== 'now')
          return { ...about, status: 'skipped', code: action, message: SKIP_MESSAGES[action] };
        const change = new AmendSubscription(moving, subscriptionId, request);
        const { amendment } = await this.commands.execute(change);
        return migratedOutcome({ subscriptionId, customerId }, amendment);
      } catch (error) {
        if (error instanceof Conflict && attempt < MAX_TRIES) continue;
        if (!isRefusal(error) && (!canFail || isTemporary(error))) throw error;
        const moved = await this.appliedAmendment(context.workspaceId, migrationId, subscriptionId);
        if (moved) return migratedOutcome({ subscriptionId, customerId }, moved);
        const { code, message } = this.publicFailure(error, subscriptionId);
        const status = code === 'nothing_to_amend' ? 'skipped' : 'failed';
        return { ...about, status, code, message };
      }
  }

  /** Returns the code and the message that the client sees for a failure. */
  private publicFailure(error: unknown, subscriptionId: string): Pick<AppError, 'code' | 'message'> {
    if (error instanceof AppError) return error;
    this.logger.error(`moving ${subscriptionId} failed: ${(error as Error).stack}`);
    return { code: 'internal_error', message: 'Something went wrong on our side' };
  }

  /**
   * Returns the amendment that has moved the subscription. A move can succeed although an error follows, for example if the invoice of the
   * move cannot be created yet.
   */
  private async appliedAmendment(
    workspaceId: string,
    migrationId: string,
    subscriptionId: string,
  ): Promise<Amendment | undefined> {
    const subscription = await this.subscriptions.find(workspaceId, subscriptionId);
    const amendmentId = amendmentIdOfMove(workspaceId, migrationId, subscriptionId);
    return subscription?.amendments.find(
      (one) => one.amendmentId === amendmentId && one.status === 'applied',
    );
  }
}

function migratedOutcome(
  { subscriptionId, customerId }: PlanSubscription,
  { invoiceId }: Pick<Amendment, 'invoiceId'>,
): SubscriptionMoveOutcome {
  return { subscriptionId, customerId, status: 'migrated', code: null, message: null, invoiceId };
}

function batchAfter(migrationId: string, after: string | null): TaskRequest<Tasks> {
  return {
    name: 'migrate-batch',
    key: `migrate after ${after ?? 'nothing'}`,
    payload: { migrationId, after },
  };
}

function dropReference({ migrationId }: { migrationId: string }): TaskRequest<Tasks> {
  return { name: 'drop-reference', payload: { migrationId } };
}

/** Returns a task for each instant at which periods end, with the subscriptions whose periods end then. */
function tasksForWaiting(migrationId: string, waiting: readonly WaitingSubscription[]): TaskRequest<Tasks>[] {
  return [...Map.groupBy(waiting, ({ until }) => until)].map(([until, group]) => ({
    name: 'take-turns',
    key: `turns at ${until}`,
    payload: {
      migrationId,
      subscribers: group.map(({ subscriptionId, customerId }) => ({ subscriptionId, customerId })),
      until,
    },
    dueAt: until,
  }));
}

/**
 * Tells whether an error refuses the move of one subscription only. After any other error, the whole batch is tried again, if the
 * error is temporary or `MAX_ATTEMPTS` is not reached.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof InvalidRequest || error instanceof NotFound || error instanceof Conflict;
}

/** Tells whether an error ends when the database, the event store or another system answers again. */
function isTemporary(error: unknown): boolean {
  if (error instanceof Unavailable) return true;
  return (toDatabaseUnavailable(error) ?? toEventStoreUnavailable(error)) !== undefined;
}
