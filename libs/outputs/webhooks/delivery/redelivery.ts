import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { Conflict, InvalidRequest, NotFound, type Instant } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { inTransaction } from '#libs/kernel/postgres';
import { addTasks } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { SENDING_PROCESS } from '../endpoints.js';
import { deliverTask } from './deliver-task.js';
import { requireWebhook, webhookDecider } from '../webhook.js';
import type { Delivery, DeliveryStatus } from './delivery-store.js';

/** More at once would keep the others of the workspace waiting. */
export const MAX_REPLAYED = 10_000;

/** Which deliveries are replayed: those of events from `since` to `until`, both included, by the machine's clock. */
export interface Replay {
  since: Instant;
  until?: Instant | undefined;
  /** What waits for an attempt is never sent a second time, so `pending` is none of these. */
  status: Exclude<DeliveryStatus, 'pending'>;
}

type Ended = Pick<Delivery, 'id' | 'webhookId' | 'round' | 'createdAt'>;

/**
 * Sends again what was sent, under the same id and with the same body. A delivery and the task that brings it are changed in one
 * transaction. A task of an earlier round finds that its round is over, so that a delivery is never brought by two.
 */
@Injectable()
export class Redelivery {
  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Has a delivery attempted at once. One that has ended begins its attempts anew. One that waits for its next attempt does not wait
   * for it, and keeps to its schedule after that. One whose attempt is due or under way is left as it is. At a paused endpoint it
   * waits in line. NotFound; Conflict for a test (`delivery_is_test`), or if the webhook is off (`webhook_disabled`).
   */
  async retry(context: CommandContext, webhookId: string, deliveryId: string): Promise<void> {
    await this.requireEnabled(context.workspaceId, webhookId);
    const at = await this.clock.now(context.workspaceId);
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
      await this.begin(tx, context, [deliveryId], at);
    });
  }

  /**
   * Begins the attempts anew of all deliveries that have ended so; returns how many. InvalidRequest (`replay_too_large`) if there are
   * more than {@link MAX_REPLAYED}.
   */
  async replay(
    context: CommandContext,
    webhookId: string,
    { since, until, status }: Replay,
  ): Promise<number> {
    await this.requireEnabled(context.workspaceId, webhookId);
    const at = await this.clock.now(context.workspaceId);
    return inTransaction(this.pool, async (tx) => {
      const { rows } = await tx.query<{ id: string }>(
        `SELECT id FROM webhooks.deliveries
         WHERE webhook_id = $1 AND status = $2 AND created_at >= $3 AND created_at <= coalesce($4::timestamptz, 'infinity') AND NOT is_test
         ORDER BY created_at, number LIMIT ${MAX_REPLAYED + 1} FOR UPDATE`,
        [webhookId, status, since, until ?? null],
      );
      if (rows.length > MAX_REPLAYED)
        throw new InvalidRequest(
          'replay_too_large',
          `More than ${MAX_REPLAYED} deliveries are to be replayed; replay them in parts, with a "since" and an "until" nearer to each other`,
        );
      return this.begin(
        tx,
        context,
        rows.map(({ id }) => id),
        at,
      );
    });
  }

  /** Begins a round of each that has ended or waits for a time that has not come by `at`, the workspace's; returns of how many. */
  private async begin(tx: PoolClient, context: CommandContext, ids: string[], at: Instant): Promise<number> {
    const { rows } = await tx.query<Ended>(
      `UPDATE webhooks.deliveries SET status = 'pending', failure = NULL, next_attempt_at = $2, round = round + 1,
         attempts_before = CASE status WHEN 'pending' THEN attempts_before ELSE attempts END,
         begun_at = CASE status WHEN 'pending' THEN begun_at ELSE $2 END
       WHERE id = ANY($1) AND (status <> 'pending' OR next_attempt_at > $2)
       RETURNING id, webhook_id AS "webhookId", round, created_at AS "createdAt"`,
      [ids, at],
    );
    const { workspaceId, commandId: eventId, correlationId } = context;
    const requests = rows.map(({ id, createdAt, ...of }) => ({
      ...deliverTask({ deliveryId: id, ...of }),
      // Of those that begin at once the oldest goes first.
      dueAt: createdAt,
    }));
    await addTasks(tx, SENDING_PROCESS, { eventId, workspaceId, correlationId }, requests);
    return rows.length;
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
