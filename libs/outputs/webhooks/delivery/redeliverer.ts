import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { Conflict, InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { inTransaction } from '#libs/kernel/postgres';
import { addTasks, taskIdOf } from '#libs/kernel/saga';
import { systemClock } from '#libs/kernel/system';
import { WorkspaceClock, type ClockReading } from '#libs/kernel/workspaces';
import { WEBHOOKS_PROCESS_MANAGER } from '../endpoint-store.js';
import { deliverTask } from './deliver-task.js';
import { requireWebhook, webhookDecider } from '../webhook.js';
import type { Delivery, DeliveryStatus } from './delivery-store.js';

/** The maximum number of deliveries in one replay. A larger replay would make the workspace's other deliveries wait too long. */
export const MAX_REPLAYED_DELIVERIES = 10_000;

/**
 * The deliveries to replay. A replay includes the deliveries that were created from `since` to `until`, both included, by the machine's
 * clock.
 */
export interface ReplayFilter {
  since: Instant;
  until?: Instant | undefined;
  /** The status `pending` is not allowed, since a waiting delivery is never sent a second time. */
  status: Exclude<DeliveryStatus, 'pending'>;
}

type Ended = Pick<Delivery, 'id' | 'webhookId' | 'round' | 'createdAt'>;

/**
 * Sends deliveries again, with the same id and body. One transaction changes a delivery and adds the task that sends it. The change
 * increases the `round` of the delivery, and a task with an earlier `round` sends nothing. Two tasks therefore never send the same
 * delivery.
 */
@Injectable()
export class Redeliverer {
  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Attempts a delivery at once. A delivery that has ended starts its retry schedule again. A delivery that waits for its next attempt is
   * attempted now, and afterwards continues its retry schedule. A retry changes nothing if an attempt is already due or in progress. A
   * delivery whose task was given up is attempted, although an attempt is due. If the endpoint is paused, the delivery waits in the queue.
   * Throws NotFound, or Conflict: `delivery_is_test` for a test, `webhook_disabled` if the webhook is disabled.
   */
  async retry(context: CommandContext, webhookId: string, deliveryId: string): Promise<void> {
    await this.requireEnabled(context.workspaceId, webhookId);
    const reading = await this.clock.read(context.workspaceId);
    await inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<Pick<Delivery, 'isTest'>>(
        `SELECT is_test AS "isTest" FROM webhooks.deliveries WHERE id = $1 AND webhook_id = $2 FOR UPDATE`,
        [deliveryId, webhookId],
      );
      if (!rows[0]) throw NotFound.of('delivery', deliveryId);
      if (rows[0].isTest)
        throw new Conflict(
          'delivery_is_test',
          `Delivery ${deliveryId} is a test, which is sent once; send another with POST /v1/webhooks/${webhookId}/test`,
        );
      await this.begin(tx, context, [deliveryId], timeAfterLock(reading));
    });
  }

  /**
   * Restarts all deliveries that were created in the requested time and ended with the requested status. Returns the number of restarted
   * deliveries. Throws InvalidRequest (`replay_too_large`) if there are more than {@link MAX_REPLAYED_DELIVERIES} deliveries.
   */
  async replay(
    context: CommandContext,
    webhookId: string,
    { since, until, status }: ReplayFilter,
  ): Promise<number> {
    await this.requireEnabled(context.workspaceId, webhookId);
    const reading = await this.clock.read(context.workspaceId);
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<{ id: string }>(
        `SELECT id FROM webhooks.deliveries
         WHERE webhook_id = $1 AND status = $2 AND created_at >= $3 AND created_at <= coalesce($4::timestamptz, 'infinity') AND NOT is_test
         ORDER BY created_at, number LIMIT ${MAX_REPLAYED_DELIVERIES + 1} FOR UPDATE`,
        [webhookId, status, since, until ?? null],
      );
      if (rows.length > MAX_REPLAYED_DELIVERIES)
        throw new InvalidRequest(
          'replay_too_large',
          `A replay has at most ${MAX_REPLAYED_DELIVERIES} deliveries, and these are more; replay them in parts, with a shorter time from "since" to "until"`,
        );
      return this.begin(
        tx,
        context,
        rows.map(({ id }) => id),
        timeAfterLock(reading),
      );
    });
  }

  /**
   * Makes deliveries due at `at`, by the workspace's clock, and adds their tasks. Skips deliveries that wait for an attempt that is already
   * due. Returns the number of deliveries that this command, or an earlier try of it, has made due.
   */
  private async begin(tx: PoolClient, context: CommandContext, all: string[], at: Instant): Promise<number> {
    const begun = await this.begunBefore(tx, context, all);
    const ids = all.filter((id) => !begun.has(id));
    const { rows } = await tx.query<Ended>(
      `UPDATE webhooks.deliveries SET status = 'pending', failure = NULL, next_attempt_at = $2, round = round + 1,
         attempts_before = CASE status WHEN 'pending' THEN attempts_before ELSE attempts END,
         begun_at = CASE status WHEN 'pending' THEN begun_at ELSE $2 END
       WHERE id = ANY($1) AND (status <> 'pending' OR next_attempt_at > $2 OR EXISTS (
         SELECT FROM saga.tasks t WHERE t.process = '${WEBHOOKS_PROCESS_MANAGER}' AND t.status = 'failed'
           AND t.payload->>'deliveryId' = deliveries.id AND coalesce((t.payload->>'round')::int, 0) = deliveries.round))
       RETURNING id, webhook_id AS "webhookId", round, created_at AS "createdAt"`,
      [ids, at],
    );
    const { workspaceId, commandId: eventId, correlationId } = context;
    const requests = rows.map(({ id, createdAt, ...of }) => ({
      ...deliverTask({ deliveryId: id, ...of }),
      // The oldest delivery goes first.
      dueAt: createdAt,
    }));
    await addTasks(tx, WEBHOOKS_PROCESS_MANAGER, { eventId, workspaceId, correlationId }, requests);
    return begun.size + rows.length;
  }

  /** The deliveries that an earlier try of this command has made due, and that no other command has changed since. */
  private async begunBefore(
    tx: PoolClient,
    { commandId }: CommandContext,
    ids: string[],
  ): Promise<Set<string>> {
    const { rows } = await tx.query<Omit<Ended, 'createdAt'>>(
      `SELECT id, webhook_id AS "webhookId", round FROM webhooks.deliveries WHERE id = ANY($1)`,
      [ids],
    );
    const tasks = new Map(
      rows.map(({ id, ...of }) => [
        taskIdOf(WEBHOOKS_PROCESS_MANAGER, commandId, deliverTask({ deliveryId: id, ...of })),
        id,
      ]),
    );
    const { rows: stored } = await tx.query<{ id: string }>('SELECT id FROM saga.tasks WHERE id = ANY($1)', [
      [...tasks.keys()],
    ]);
    return new Set(stored.map(({ id }) => tasks.get(id)!));
  }

  private async requireEnabled(workspaceId: string, webhookId: string): Promise<void> {
    const id = aggregateId(workspaceId, webhookId);
    const { enabled } = requireWebhook(webhookId, await this.aggregates.load(webhookDecider, id));
    if (!enabled)
      throw new Conflict(
        'webhook_disabled',
        `Webhook ${webhookId} is off, so nothing is sent to it; turn it on first with PATCH /v1/webhooks/${webhookId} and {"enabled": true}`,
      );
  }
}

/**
 * The workspace's time at the moment when the deliveries are locked. Another request may have made an attempt due after `now` was read and
 * before the lock. So a clock that is not frozen is read again. With the earlier time, that attempt would be made twice.
 */
function timeAfterLock({ now, frozen }: ClockReading): Instant {
  return frozen ? now : systemClock.now();
}
