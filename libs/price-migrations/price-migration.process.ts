import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { amendmentIdOf, AmendSubscription, concurrently } from '#libs/billing';
import { AppError, Conflict, InvalidRequest, NotFound, Unavailable } from '#libs/core';
import {
  follow,
  trackWrites,
  type CommandContext,
  type Recorded,
  type RecordedEvent,
} from '#libs/event-store';
import { ReadModels } from '#libs/projection';
import { contextOfTask, ProcessManager, type Task, type TaskRequest, type TaskResult } from '#libs/saga';
import { Subscriptions } from '#libs/subscriptions';
import { WorkspaceClock } from '#libs/workspaces';
import type { MigrationOutcome, PriceMigrationEvent } from './events.js';
import { isToMove } from './is-to-move.js';
import { PlanSubscribers, type PlanSubscriber } from './plan-subscribers.js';
import type { PriceMigration } from './price-migration.js';
import { PriceMigrations } from './price-migrations.js';

/** Subscriptions that are recorded together, which a crash looks at again, and of them those that are moved at a time. */
const BATCH = 25;
const AT_ONCE = 8;
/** Others may change a subscription at the same moment; that settles soon. */
const MOST_TRIES = 5;
/** Who subscribed before the migration began is among those that it finds. */
const READABLE_MILLIS = 30_000;

interface Payloads {
  'start-migration': { migrationId: string };
  /** Find who comes after `after`. */
  'migrate-batch': { migrationId: string; after: string | null };
  /** Move these. They were found before any of them was moved, so that a repetition has them all. */
  'move-batch': Batch;
}

interface Batch {
  migrationId: string;
  after: string | null;
  subscribers: PlanSubscriber[];
  /** How many there were to move as the migration began. */
  total: number;
  isLast: boolean;
}

/** Moves subscriptions when a migration's time has come, batch by batch, and records what became of each. */
@Injectable()
export class PriceMigrationProcess extends ProcessManager {
  readonly name = 'price-migrations';

  constructor(
    private readonly commands: CommandBus,
    private readonly migrations: PriceMigrations,
    private readonly subscriptions: Subscriptions,
    private readonly subscribers: PlanSubscribers,
    private readonly readModels: ReadModels,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  override react(recorded: RecordedEvent): TaskRequest[] {
    const { type, data } = recorded as Recorded<PriceMigrationEvent>;
    switch (type) {
      case 'PriceMigrationScheduled': {
        const { migrationId, effectiveAt } = data;
        return [{ name: 'start-migration', payload: { migrationId }, dueAt: effectiveAt }];
      }
      // The record of a batch leads to the next one, so no crash comes between the two. After the last there is none to find.
      case 'PriceMigrationProgressed':
        return [batchAfter(data.migrationId, data.through)];
      case 'PriceMigrationStarted':
      case 'PriceMigrationCanceled':
      case 'PriceMigrationFinished':
        return [];
      default:
        return [];
    }
  }

  override async perform(task: Task): Promise<TaskResult | void> {
    const context = await contextOfTask(this.name, this.clock, task);
    switch (task.name as keyof Payloads) {
      case 'start-migration':
        return this.start(context, (task.payload as Payloads['start-migration']).migrationId);
      case 'migrate-batch':
        return this.find(context, task.payload as Payloads['migrate-batch']);
      case 'move-batch':
        return this.migrate(context, task.payload as Payloads['move-batch']);
    }
  }

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
    { accountId }: CommandContext,
    { migrationId, after }: Payloads['migrate-batch'],
  ): Promise<TaskResult> {
    const migration = await this.migrations.require(accountId, migrationId);
    if (migration.status !== 'in_progress' || migration.through !== after) return {};
    const scope = { accountId, planId: migration.fromPlanId, customerIds: migration.customerIds };
    const total = migration.total ?? (await this.subscribers.count(scope));
    const subscribers = await this.subscribers.page(scope, after, BATCH);
    const payload: Batch = { migrationId, after, subscribers, total, isLast: subscribers.length < BATCH };
    return { tasks: [{ name: 'move-batch', key: `move after ${after ?? 'nothing'}`, payload }] };
  }

  private async migrate(
    context: CommandContext,
    { migrationId, after, subscribers, total, isLast }: Batch,
  ): Promise<void> {
    const migration = await this.migrations.require(context.accountId, migrationId);
    if (migration.status !== 'in_progress' || migration.through !== after) return;
    const outcomes: MigrationOutcome[] = [];
    await concurrently(subscribers, AT_ONCE, async (one) => {
      outcomes.push(await this.move(context, migration, one));
    });
    const through = subscribers.at(-1)?.subscriptionId ?? after;
    await this.migrations.execute(follow(context, 'record'), {
      ...{ type: 'RecordBatch', migrationId, after, through, total, outcomes, isLast },
    });
  }

  private async move(
    context: CommandContext,
    migration: PriceMigration,
    { subscriptionId, customerId }: PlanSubscriber,
  ): Promise<MigrationOutcome> {
    const about = { subscriptionId, customerId, code: null, message: null, invoiceId: null };
    const request = {
      kind: 'price_migration',
      terms: { planId: migration.toPlanId },
      prorate: true,
      effectiveAt: null,
    } as const;
    const moving = follow(context, `move ${subscriptionId}`);
    for (let attempt = 1; ; attempt++)
      try {
        const subscription = await this.subscriptions.require(context.accountId, subscriptionId);
        if (!isToMove(subscription, migration, amendmentIdOf(moving)))
          return {
            ...about,
            status: 'skipped',
            code: 'not_on_plan',
            message: 'It is not on the plan any more',
          };
        const change = new AmendSubscription(moving, subscriptionId, request);
        const { amendment } = await this.commands.execute(change);
        return { ...about, status: 'migrated', invoiceId: amendment.invoiceId };
      } catch (error) {
        if (error instanceof Conflict && attempt < MOST_TRIES) continue;
        if (!isRefusal(error)) throw error;
        const { code, message } = error;
        const status = code === 'nothing_to_amend' ? 'skipped' : 'failed';
        return { ...about, status, code, message };
      }
  }
}

function batchAfter(migrationId: string, after: string | null): TaskRequest {
  return {
    name: 'migrate-batch',
    key: `migrate after ${after ?? 'nothing'}`,
    payload: { migrationId, after },
  };
}

/** What the subscription itself does not allow; anything else is worth another try of the whole batch. */
function isRefusal(error: unknown): error is AppError {
  return error instanceof InvalidRequest || error instanceof NotFound || error instanceof Conflict;
}
