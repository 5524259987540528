import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import pMap from 'p-map';
import { amendmentIdOf, AmendSubscription, BillingCycles } from '#libs/contexts/billing';
import { AppError, Conflict, InvalidRequest, NotFound, Unavailable, type Instant } from '#libs/kernel/core';
import { follow, trackWrites, type CommandContext } from '#libs/kernel/event-store';
import { ReadModels } from '#libs/kernel/projection';
import {
  ProcessManager,
  reactTo,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { MigrationOutcome, PriceMigrationEvent, WaitingSubscription } from './events.js';
import { moveContext } from './move-ids.js';
import { PlanSubscribers, type PlanSubscriber } from './plan-subscribers.js';
import { isNextBatch, isPeriodEnd, type PriceMigration } from './price-migration.js';
import { PriceMigrations } from './price-migrations.js';
import { migrationActionOf } from './migration-action.js';

/** Subscriptions that are recorded together, which a crash looks at again, and of them those that are moved at a time. */
const BATCH = 25;
const AT_ONCE = 8;
/** Others may change a subscription at the same moment; that settles soon. */
const MAX_TRIES = 5;
/** Who subscribed before the migration began is among those that it finds. */
const READABLE_MILLIS = 30_000;

/** Why a subscription is skipped, by what the migration does with it. */
const LEFT_ALONE = {
  not_on_plan: 'It is not on the plan any more',
  on_plan_since: 'It has come to the plan since the migration was scheduled',
} as const;

interface Tasks {
  'start-migration': { migrationId: string };
  /** Find who comes after `after`. */
  'migrate-batch': { migrationId: string; after: string | null };
  /** Move these. They were found before any of them was moved, so that a repetition has them all. */
  'move-batch': Batch;
  /** Move these, whose periods were to end at `until`. */
  'take-turns': { migrationId: string; subscribers: PlanSubscriber[]; until: Instant };
  /** It is over: billing does not have to find it any more. */
  'drop-reference': { migrationId: string };
}

/** What came of looking at subscriptions. */
interface Looked {
  outcomes: MigrationOutcome[];
  waiting: WaitingSubscription[];
}

interface Batch {
  migrationId: string;
  after: string | null;
  subscribers: PlanSubscriber[];
  /** How many there were to move as the migration began. */
  total: number;
  isLast: boolean;
}

/**
 * Moves subscriptions when a migration's time has come, batch by batch, and records what became of each. Where that is the end of a
 * period, billing has moved them in the renewal's place, or does so on the way.
 */
@Injectable()
export class PriceMigrationProcess extends ProcessManager<Tasks> {
  readonly name = 'price-migrations';

  constructor(
    clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly migrations: PriceMigrations,
    private readonly cycles: BillingCycles,
    private readonly subscribers: PlanSubscribers,
    private readonly readModels: ReadModels,
  ) {
    super(clock);
  }

  override readonly react = reactTo<PriceMigrationEvent, Tasks>({
    PriceMigrationScheduled: ({ data }) => {
      const { migrationId, effectiveAt } = data;
      const when = isPeriodEnd(data) ? {} : { dueAt: effectiveAt };
      return [{ name: 'start-migration', payload: { migrationId }, ...when }];
    },
    // The record of a batch leads to the next one, so no crash comes between the two. After the last there is none to find.
    PriceMigrationProgressed: ({ data }) => [
      ...(data.isLast ? [] : [batchAfter(data.migrationId, data.through)]),
      ...turnsOf(data.migrationId, data.waiting ?? []),
    ],
    PriceMigrationContinued: ({ data }) => turnsOf(data.migrationId, data.waiting),
    PriceMigrationCanceled: ({ data }) => [dropReference(data)],
    PriceMigrationFinished: ({ data }) => [dropReference(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'start-migration': ({ migrationId }, context) => this.start(context, migrationId),
    'migrate-batch': (payload, context) => this.find(context, payload),
    'move-batch': (payload, context) => this.migrate(context, payload),
    'take-turns': (payload, context) => this.takeTurns(context, payload),
    'drop-reference': ({ migrationId }, context) => this.drop(context, migrationId),
  };

  private async start(context: CommandContext, migrationId: string): Promise<TaskResult> {
    const { status } = await trackWrites(async (tracker) => {
      const command = { type: 'StartPriceMigration', migrationId } as const;
      const started = await this.migrations.execute(follow(context, 'start'), command);
      const { position } = tracker;
      if (position !== undefined && !(await this.readModels.waitFor(position, READABLE_MILLIS)))
        throw new Unavailable('read_models_behind', 'The read models do not show yet who is on the plan');
      return started;
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
  ): Promise<void> {
    const migration = await this.migrations.require(context.workspaceId, migrationId);
    if (!isNextBatch(migration, after)) return;
    const looked = await this.look(context, migration, subscribers, null);
    const through = subscribers.at(-1)?.subscriptionId ?? after;
    await this.migrations.execute(follow(context, 'record'), {
      ...{ type: 'RecordBatch', migrationId, after, through, total, ...looked, isLast },
    });
  }

  private async takeTurns(
    context: CommandContext,
    { migrationId, subscribers, until }: Tasks['take-turns'],
  ): Promise<void> {
    const migration = await this.migrations.require(context.workspaceId, migrationId);
    if (migration.status !== 'in_progress') return;
    const looked = await this.look(context, migration, subscribers, until);
    await this.migrations.execute(follow(context, 'record'), {
      ...{ type: 'RecordTurns', migrationId, ...looked },
    });
  }

  private async drop(context: CommandContext, migrationId: string): Promise<void> {
    const { fromPlanId: planId } = await this.migrations.require(context.workspaceId, migrationId);
    await this.migrations.refer(context, { type: 'DropPriceMigration', planId, migrationId });
  }

  private async look(
    context: CommandContext,
    migration: PriceMigration,
    subscribers: readonly PlanSubscriber[],
    waitedUntil: Instant | null,
  ): Promise<Looked> {
    const looked: Looked = { outcomes: [], waiting: [] };
    const failures: unknown[] = [];
    const move = async (one: PlanSubscriber): Promise<void> => {
      try {
        const found = await this.move(context, migration, one, waitedUntil);
        if ('until' in found) looked.waiting.push(found);
        else looked.outcomes.push(found);
      } catch (error) {
        // One that always fails must not keep those behind it from being moved.
        failures.push(error);
      }
    };
    await pMap(subscribers, move, { concurrency: AT_ONCE });
    if (failures.length > 0) throw failures[0];
    return looked;
  }

  /** What is due is done first: the subscription can go over by that, or leave the plan. */
  private async move(
    context: CommandContext,
    migration: PriceMigration,
    { subscriptionId, customerId }: PlanSubscriber,
    waitedUntil: Instant | null,
  ): Promise<MigrationOutcome | WaitingSubscription> {
    const { migrationId } = migration;
    const about = { subscriptionId, customerId, code: null, message: null, invoiceId: null };
    const request = {
      kind: 'price_migration',
      terms: { planId: migration.toPlanId },
      prorate: true,
      effectiveAt: null,
      migrationId,
    } as const;
    const moving = moveContext(follow(context, `move ${subscriptionId}`), migrationId, subscriptionId);
    for (let attempt = 1; ; attempt++)
      try {
        const { subscription } = await this.cycles.catchUp(moving, subscriptionId);
        const action = migrationActionOf(subscription, migration, {
          amendmentId: amendmentIdOf(moving),
          waitedUntil,
        });
        if (action === 'later') return { subscriptionId, customerId, until: subscription.period.end };
        if (action !== 'now')
          return { ...about, status: 'skipped', code: action, message: LEFT_ALONE[action] };
        const change = new AmendSubscription(moving, subscriptionId, request);
        const { amendment } = await this.commands.execute(change);
        return { ...about, status: 'migrated', invoiceId: amendment.invoiceId };
      } catch (error) {
        if (error instanceof Conflict && attempt < MAX_TRIES) continue;
        if (!isRefusal(error)) throw error;
        const { code, message } = error;
        const status = code === 'nothing_to_amend' ? 'skipped' : 'failed';
        return { ...about, status, code, message };
      }
  }
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

/** Those whose periods end at one instant take their turns together. */
function turnsOf(migrationId: string, waiting: readonly WaitingSubscription[]): TaskRequest<Tasks>[] {
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

/** What the subscription itself does not allow; anything else is worth another try of the whole batch. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof InvalidRequest || error instanceof NotFound || error instanceof Conflict;
}
