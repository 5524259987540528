import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import {
  NotFound,
  parseInstant,
  Unavailable,
  type Instant,
  type ListOrder,
  type ListPart,
} from '#libs/kernel/core';
import { inTransaction, NotificationListener } from '#libs/kernel/postgres';
import type { AttemptOutcome } from './webhook-sender.js';

/** The states of a delivery. `failed`: no further attempt is made. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An attempt at a delivery, as the API shows it. */
export interface DeliveryAttempt {
  /** The number of the attempt within its delivery, counted from 1. */
  number: number;
  attemptedAt: Instant;
  /** The status code of the response; null if no response came. */
  statusCode: number | null;
  /** The reason for a failure, if the status code does not give it. */
  error: string | null;
  durationMillis: number;
  /** The beginning of the response body; null if there was none, or if the erasure of a customer removed it. */
  response: string | null;
}

/** An event that is sent to one endpoint. */
export interface Delivery {
  /** The id, `evt_…`. Every attempt sends the same id. */
  id: string;
  workspaceId: string;
  webhookId: string;
  /** The name of the public event, such as `invoice.paid`, or of the test event. */
  event: string;
  /** The exact body that is sent. The erasure of a customer removes personal texts from the body. */
  body: string;
  /** Tells whether this is a test, which is attempted only once. */
  isTest: boolean;
  status: DeliveryStatus;
  /** The reason for the failure, in words; `null` unless the delivery failed. */
  failure: string | null;
  /** The number of attempts so far. */
  attempts: number;
  /** The number of times that a user requested the delivery again. */
  round: number;
  /**
   * The number of attempts before the delivery was last restarted; zero if it was never restarted. A user can restart a delivery that has
   * ended, and then its retry schedule starts again.
   */
  attemptsBeforeRestart: number;
  /** The time at which the delivery was last started or restarted, by the workspace's clock. */
  begunAt: Instant;
  /** The time of the next attempt, by the workspace's clock; `null` if no attempt follows. */
  nextAttemptAt: Instant | null;
  /** The time at which the delivery was created, by the machine's clock. The times of attempts are also by the machine's clock. */
  createdAt: Instant;
}

/** A delivery with its attempts, oldest first. */
export interface DeliveryWithAttempts {
  delivery: Delivery;
  /** The number of the delivery, in the order in which deliveries were stored. */
  number: string;
  attempts: DeliveryAttempt[];
}

/**
 * The conditions of listed deliveries. `since` and `until` are the first and last possible creation time, by the machine's clock.
 */
export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  since?: Instant | undefined;
  until?: Instant | undefined;
}

/** The state of a delivery after an attempt. */
export type DeliveryState = Pick<Delivery, 'status' | 'failure' | 'nextAttemptAt'>;

const FIELDS = `id, workspace_id AS "workspaceId", webhook_id AS "webhookId", event, body, is_test AS "isTest", status,
  failure, attempts, round, attempts_before AS "attemptsBeforeRestart", coalesce(begun_at, created_at) AS "begunAt", next_attempt_at AS "nextAttemptAt", created_at AS "createdAt"`;

/** The channel for Postgres notifications, which contain the id of an attempted delivery. */
const ATTEMPTED_CHANNEL = 'webhook_attempted';

/** Stores deliveries and their attempts. */
@Injectable()
export class DeliveryStore {
  readonly listOrder: ListOrder<DeliveryWithAttempts> = {
    list: 'deliveries',
    keyParts: ['instant', 'number'],
    keyOf: ({ delivery: { createdAt }, number }) => [createdAt, number],
  };

  constructor(
    private readonly pool: Pool,
    private readonly listener: NotificationListener,
  ) {}

  /** Stores new deliveries, whose first attempt is due at once. Storing a delivery again changes nothing. */
  async add(
    deliveries: Pick<
      Delivery,
      'id' | 'workspaceId' | 'webhookId' | 'event' | 'body' | 'isTest' | 'createdAt' | 'begunAt'
    >[],
  ): Promise<void> {
    await this.pool.query(
      `INSERT INTO webhooks.deliveries (id, workspace_id, webhook_id, event, body, is_test, created_at, begun_at, next_attempt_at)
       SELECT "id", "workspaceId", "webhookId", "event", "body", "isTest", "createdAt", "begunAt", "begunAt"
       FROM jsonb_to_recordset($1) AS given ("id" text, "workspaceId" text, "webhookId" text, "event" text, "body" text,
         "isTest" boolean, "createdAt" timestamptz, "begunAt" timestamptz)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(deliveries)],
    );
  }

  async find(id: string): Promise<Delivery | undefined> {
    const { rows } = await this.pool.query<Delivery>(
      `SELECT ${FIELDS} FROM webhooks.deliveries WHERE id = $1`,
      [id],
    );
    return rows[0];
  }

  /**
   * Stores an attempt together with the new state of the delivery. Leaves out the response if the body was erased after `delivery` was
   * read, since the response can repeat the body that was sent.
   */
  async recordAttempt(
    delivery: Delivery,
    attemptedAt: Instant,
    outcome: AttemptOutcome,
    result: DeliveryState,
  ): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
      // The update comes first, since an erasure of the body waits for it and then removes the response.
      const { rows } = await tx.query<{ isSameBody: boolean }>(
        `UPDATE webhooks.deliveries SET attempts = attempts + 1, status = $2, failure = $3, next_attempt_at = $4
         WHERE id = $1 RETURNING body = $5 AS "isSameBody"`,
        [delivery.id, result.status, result.failure, result.nextAttemptAt, delivery.body],
      );
      await tx.query(
        `INSERT INTO webhooks.attempts
           (delivery_id, number, attempted_at, status_code, error, duration_millis, response)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          delivery.id,
          delivery.attempts + 1,
          attemptedAt,
          outcome.statusCode,
          outcome.error,
          outcome.durationMillis,
          rows[0]?.isSameBody ? outcome.response : null,
        ],
      );
      await tx.query('SELECT pg_notify($1, $2)', [ATTEMPTED_CHANNEL, delivery.id]);
    });
  }

  /** Ends a delivery that gets no further attempt. */
  async abandon(delivery: Delivery, failure: string): Promise<void> {
    await this.pool.query(
      `WITH gave_up AS (
         UPDATE webhooks.deliveries SET status = 'failed', failure = $2, next_attempt_at = NULL WHERE id = $1
       ) SELECT pg_notify('${ATTEMPTED_CHANNEL}', $1)`,
      [delivery.id, failure],
    );
  }

  /**
   * A page of an endpoint's deliveries that match the filter, newest first. Each delivery of the page contains its attempts, oldest first.
   */
  async list(
    webhookId: string,
    { status, event, since, until }: DeliveryFilter,
    { limit, offset, after }: ListPart,
  ): Promise<DeliveryWithAttempts[]> {
    const parameters: unknown[] = [webhookId];
    const given = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = [
      'webhook_id = $1',
      ...(status === undefined ? [] : [`status = ${given(status)}`]),
      ...(event === undefined ? [] : [`event = ${given(event)}`]),
      ...(since === undefined ? [] : [`created_at >= ${given(since)}`]),
      ...(until === undefined ? [] : [`created_at <= ${given(until)}`]),
      ...(after === undefined ? [] : [`(created_at, number) < (${after.map(given).join(', ')})`]),
    ];
    return this.reports(
      `${conditions.join(' AND ')} ORDER BY created_at DESC, number DESC LIMIT ${given(limit)} OFFSET ${given(offset)}`,
      parameters,
    );
  }

  /** A delivery of an endpoint with its attempts, oldest first. Throws NotFound if the delivery does not exist. */
  async get(webhookId: string, id: string): Promise<DeliveryWithAttempts> {
    const [report] = await this.reports('webhook_id = $1 AND id = $2', [webhookId, id]);
    if (!report) throw NotFound.of('delivery', id);
    return report;
  }

  /**
   * Waits until a delivery is no longer pending, and returns it with its attempts. Throws Unavailable if the delivery is still pending
   * after `timeoutMillis`, for example because no process sends deliveries.
   */
  async waitUntilEnded(id: string, timeoutMillis: number): Promise<DeliveryWithAttempts> {
    const heard = Promise.withResolvers<void>();
    const unlisten = await this.listener.on(ATTEMPTED_CHANNEL, (attempted) => {
      if (attempted === id) heard.resolve();
    });
    const timer = setTimeout(heard.resolve, timeoutMillis);
    try {
      const report = await this.settledNow(id);
      if (report) return report;
      await heard.promise;
      const later = await this.settledNow(id);
      if (later) return later;
    } finally {
      clearTimeout(timer);
      unlisten();
    }
    throw new Unavailable(
      'webhook_not_sent_yet',
      'The test was not sent in time; it will be sent later and then appears in the list of deliveries',
    );
  }

  private async settledNow(id: string): Promise<DeliveryWithAttempts | undefined> {
    const [report] = await this.reports('id = $1', [id]);
    return report && report.delivery.status !== 'pending' ? report : undefined;
  }

  /**
   * Reads deliveries with their attempts in one query, so that both are from the same moment. The body of a delivery is read once, however
   * many attempts it has.
   */
  private async reports(which: string, parameters: unknown[]): Promise<DeliveryWithAttempts[]> {
    const { rows } = await this.pool.query<Delivery & { place: string; attemptList: DeliveryAttempt[] }>(
      `WITH page AS (SELECT * FROM webhooks.deliveries WHERE ${which})
       SELECT ${FIELDS}, number AS place,
         (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'number', a.number, 'attemptedAt', a.attempted_at, 'statusCode', a.status_code, 'error', a.error,
            'durationMillis', a.duration_millis, 'response', a.response) ORDER BY a.number), '[]')
          FROM webhooks.attempts a WHERE a.delivery_id = page.id) AS "attemptList"
       FROM page ORDER BY created_at DESC, page.number DESC`,
      parameters,
    );
    return rows.map(({ place, attemptList, ...delivery }) => ({
      delivery,
      number: place,
      attempts: attemptList.map((one) => ({ ...one, attemptedAt: parseInstant(one.attemptedAt)! })),
    }));
  }
}
