import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { StateConflict, type Instant } from '#libs/kernel/core';
import { AggregateStore } from '#libs/kernel/event-store';
import { aggregateId, type Position } from '#libs/kernel/domain';
import { inTransaction, preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { PausedQueueStore, type TaskQueue } from '#libs/kernel/saga';
import { WebhookOutages } from './delivery/webhook-outages.js';
import { pauseSeconds, type EndpointHealth } from './delivery/retry-schedule.js';
import { subscribesTo } from './public-events/names.js';
import { previousSecretUntil, webhookDecider, type Webhook } from './webhook.js';

/** The largest number of webhook endpoints of a workspace. With more endpoints, one event would cause too many requests. */
const MAX_PER_WORKSPACE = 50;

/** A creation that has not appended its event after this time has failed. A request takes far less. */
const CREATION_TIME = '1 hour';

/**
 * The name of the process manager that sends deliveries. The tasks that send to one endpoint form one queue.
 */
export const WEBHOOKS_PROCESS_MANAGER = 'webhooks';

/** An endpoint with all data that is needed to send to it. */
export interface Endpoint {
  webhook: Webhook;
  secrets: EndpointSecrets;
  health: EndpointHealth;
}

/** The secrets that sign the deliveries of an endpoint. */
export interface EndpointSecrets {
  current: string;
  /** The previous secret, while it is still used for signing. */
  previous?: string;
}

/**
 * Manages the endpoints of workspaces. The state of the endpoints comes from their event streams. Tables outside the event store contain
 * the signing secrets and the failed attempts since the last success, since neither belongs in the history. Senders read endpoints from
 * this class and not from a read model. Senders therefore find an endpoint that was just created, and do not wait while read models are
 * rebuilt.
 */
@Injectable()
export class EndpointStore {
  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly queues: PausedQueueStore,
    private readonly outages: WebhookOutages,
  ) {}

  /**
   * Stores the first secret of an endpoint before the first event of the endpoint, since deliveries must be signed. Returns the valid
   * secret, which is the first one that was stored under the endpoint's id. Throws StateConflict (`webhook_limit_reached`) if the
   * workspace already has {@link MAX_PER_WORKSPACE} other endpoints.
   */
  async storeFirstSecret(workspaceId: string, webhookId: string, secret: string): Promise<string> {
    return inTransaction(this.pool, async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks ' || $1, 0))`, [workspaceId]);
      const { rows } = await tx.query<{ webhook_id: string }>(
        'SELECT webhook_id FROM webhooks.endpoints WHERE workspace_id = $1',
        [workspaceId],
      );
      if (!rows.some((row) => row.webhook_id === webhookId)) {
        if (
          rows.length >= MAX_PER_WORKSPACE &&
          rows.length - (await this.deleteFailedCreations(tx, workspaceId)) >= MAX_PER_WORKSPACE
        )
          throw new StateConflict(
            'webhook_limit_reached',
            `A workspace has at most ${MAX_PER_WORKSPACE} webhooks; delete one that is not needed`,
          );
        await tx.query('INSERT INTO webhooks.endpoints (webhook_id, workspace_id) VALUES ($1, $2)', [
          webhookId,
          workspaceId,
        ]);
      }
      return keepSecret(tx, webhookId, webhookId, secret);
    });
  }

  /** Deletes what failed creations of endpoints have stored before their event. Returns the number of deleted endpoints. */
  private async deleteFailedCreations(tx: Queryable, workspaceId: string): Promise<number> {
    const { rows } = await tx.query<{ webhook_id: string }>(
      `SELECT webhook_id FROM webhooks.endpoints
       WHERE workspace_id = $1 AND created_at < now() - interval '${CREATION_TIME}'`,
      [workspaceId],
    );
    const failed: string[] = [];
    for (const { webhook_id: id } of rows) if (!(await this.load(workspaceId, id))) failed.push(id);
    await tx.query('DELETE FROM webhooks.endpoints WHERE webhook_id = ANY($1)', [failed]);
    return failed.length;
  }

  /** Stores another secret of an endpoint under the id `secretId`. Returns the first secret that was stored under `secretId`. */
  async storeSecret(webhookId: string, secretId: string, secret: string): Promise<string> {
    return keepSecret(this.pool, webhookId, secretId, secret);
  }

  /**
   * Deletes the secrets that `before` uses for signing and `after` does not use. Secrets that neither uses are kept, since another request
   * may be about to use them.
   */
  async deleteEndedSecrets(before: Webhook, after: Webhook): Promise<void> {
    const kept = secretsOf(after);
    const ended = secretsOf(before).filter((secretId) => !kept.includes(secretId));
    await this.pool.query('DELETE FROM webhooks.secrets WHERE webhook_id = $1 AND secret_id = ANY($2)', [
      after.webhookId,
      ended,
    ]);
  }

  /** Deletes the secrets and failures of a deleted endpoint, and ends its pause. */
  async deleteEndpointData(workspaceId: string, webhookId: string): Promise<void> {
    await this.pool.query('DELETE FROM webhooks.endpoints WHERE webhook_id = $1', [webhookId]);
    const wasPaused = await this.queues.resume(queueOf(workspaceId, webhookId));
    if (wasPaused) this.outages.reportEnd({ workspaceId, webhookId });
  }

  /** Returns the given workspaces that have endpoints. */
  async workspacesWithEndpoints(workspaceIds: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.pool.query<{ workspace_id: string }>(
      preparedStatement('SELECT DISTINCT workspace_id FROM webhooks.endpoints WHERE workspace_id = ANY($1)', [
        workspaceIds,
      ]),
    );
    return new Set(rows.map((row) => row.workspace_id));
  }

  /**
   * The endpoints that were enabled and subscribed to the event at the given position of the event log. Endpoints that were deleted later
   * are not returned. Without a position, the endpoints that are subscribed now are returned.
   */
  async findSubscribedWebhooks(workspaceId: string, event: string, position?: Position): Promise<Webhook[]> {
    const { rows } = await this.pool.query<{ webhook_id: string }>(
      preparedStatement(
        'SELECT webhook_id FROM webhooks.endpoints WHERE workspace_id = $1 ORDER BY webhook_id',
        [workspaceId],
      ),
    );
    const webhooks = await Promise.all(rows.map((row) => this.load(workspaceId, row.webhook_id, position)));
    return webhooks.filter(
      (webhook) =>
        webhook !== undefined && webhook.enabled && !webhook.deleted && subscribesTo(webhook.events, event),
    ) as Webhook[];
  }

  /** The endpoint, enabled or not, with the secrets that sign at the machine's time `at`; undefined if it is deleted. */
  async find(workspaceId: string, webhookId: string, at: Instant): Promise<Endpoint | undefined> {
    for (let looks = 1; ; looks++) {
      const webhook = await this.load(workspaceId, webhookId);
      if (!webhook || webhook.deleted) return undefined;
      const { rows } = await this.pool.query<{ secrets: Record<string, string> | null } & EndpointHealth>(
        `SELECT failures, failing_since AS "failingSince",
           (SELECT jsonb_object_agg(secret_id, secret) FROM webhooks.secrets s WHERE s.webhook_id = e.webhook_id) AS secrets
         FROM webhooks.endpoints e WHERE webhook_id = $1 AND workspace_id = $2`,
        [webhookId, workspaceId],
      );
      if (!rows[0]) return undefined;
      const { secrets, ...health } = rows[0];
      const current = secrets?.[webhook.secretId];
      if (current !== undefined) {
        const isOverlap = previousSecretUntil(webhook, at) !== null;
        const previous = isOverlap ? secrets![webhook.previousSecret!.secretId] : undefined;
        return { webhook, secrets: { current, ...(previous === undefined ? {} : { previous }) }, health };
      }
      // The secret was rotated after the endpoint was loaded, so the loop reads again.
      if (looks === 3) throw new Error(`Webhook ${webhookId} has no secret to sign with`);
    }
  }

  /**
   * Clears the failures of an endpoint and ends its pause. Call `clearFailures` when a request was delivered, or when the endpoint is
   * enabled again.
   */
  async clearFailures(workspaceId: string, webhookId: string): Promise<void> {
    await this.pool.query(
      `UPDATE webhooks.endpoints SET failing_since = NULL, failures = 0
       WHERE workspace_id = $1 AND webhook_id = $2 AND failing_since IS NOT NULL`,
      [workspaceId, webhookId],
    );
    const wasPaused = await this.queues.resume(queueOf(workspaceId, webhookId));
    if (wasPaused) this.outages.reportEnd({ workspaceId, webhookId });
  }

  /**
   * Records that an attempt at an endpoint failed at the time `at`. An endpoint at which every attempt has failed for some time is paused.
   */
  async recordFailure(workspaceId: string, webhookId: string, at: Instant): Promise<EndpointHealth> {
    const { rows } = await this.pool.query<EndpointHealth>(
      `UPDATE webhooks.endpoints SET failing_since = least(failing_since, $2), failures = failures + 1
       WHERE webhook_id = $1 RETURNING failures, failing_since AS "failingSince"`,
      [webhookId, at],
    );
    const health = rows[0] ?? { failures: 1, failingSince: at };
    const pause = pauseSeconds(health, at);
    if (pause > 0) {
      const { isNew, until } = await this.queues.pause(queueOf(workspaceId, webhookId), pause);
      const { failures, failingSince } = health;
      if (isNew)
        this.outages.reportBegin({ workspaceId, webhookId, failures, failingSince, nextAttemptAt: until });
    }
    return health;
  }

  /**
   * The time at which the pause of each paused endpoint in the workspace ends, by the endpoint's id. A time in the past means that the
   * pause is over, but that no delivery has succeeded since. The endpoint then gets one delivery at a time.
   */
  async pauseEndsOf(workspaceId: string): Promise<Map<string, Instant>> {
    return this.queues.pauseEnds(WEBHOOKS_PROCESS_MANAGER, workspaceId);
  }

  private load(workspaceId: string, webhookId: string, before?: Position): Promise<Webhook | undefined> {
    const id = aggregateId(workspaceId, webhookId);
    return before === undefined
      ? this.aggregates.load(webhookDecider, id)
      : this.aggregates.loadBefore(webhookDecider, id, before);
  }
}

function secretsOf({ secretId, previousSecret }: Webhook): string[] {
  return previousSecret ? [secretId, previousSecret.secretId] : [secretId];
}

async function keepSecret(
  db: Queryable,
  webhookId: string,
  secretId: string,
  secret: string,
): Promise<string> {
  const { rows } = await db.query<{ secret: string }>(
    `INSERT INTO webhooks.secrets (secret_id, webhook_id, secret) VALUES ($1, $2, $3)
     ON CONFLICT (secret_id) DO UPDATE SET secret = webhooks.secrets.secret RETURNING secret`,
    [secretId, webhookId, secret],
  );
  return rows[0]!.secret;
}

function queueOf(workspaceId: string, webhookId: string): TaskQueue {
  return { process: WEBHOOKS_PROCESS_MANAGER, workspaceId, queue: webhookId };
}
