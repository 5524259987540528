import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable, type Instant } from '#libs/core';
import { inTransaction, NotificationListener } from '#libs/postgres';
import type { Outcome } from './sender.js';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** What an attempt was, for people to look at. */
export interface Attempt {
  /** From 1. */
  number: number;
  attemptedAt: Instant;
  statusCode: number | null;
  error: string | null;
  durationMillis: number;
  response: string | null;
}

/** One event on its way to one endpoint. Its times are the machine's: receivers live in the world's time. */
export interface Delivery {
  /** `evt_…`, the same at every attempt. */
  id: string;
  accountId: string;
  webhookId: string;
  event: string;
  /** Exactly what is sent. */
  body: string;
  /** Attempted once, whatever comes of it. */
  isTest: boolean;
  status: DeliveryStatus;
  /** Why it failed, in words. */
  failure: string | null;
  /** How many there were. */
  attempts: number;
  /** `null` when there will be none. */
  nextAttemptAt: Instant | null;
  createdAt: Instant;
}

/** What an attempt leaves a delivery as. */
export type Result = Pick<Delivery, 'status' | 'failure' | 'nextAttemptAt'>;

const FIELDS = `id, account_id AS "accountId", webhook_id AS "webhookId", event, body, is_test AS "isTest", status,
  failure, attempts, next_attempt_at AS "nextAttemptAt", created_at AS "createdAt"`;

/** Postgres notifications: the id of a delivery that was attempted. */
const ATTEMPTED_CHANNEL = 'webhook_attempted';

/** The deliveries and their attempts. */
@Injectable()
export class DeliveryStore {
  constructor(
    private readonly pool: Pool,
    private readonly listener: NotificationListener,
  ) {}

  /** Stores deliveries that are to be attempted at once. Storing one again changes nothing. */
  async add(
    deliveries: Pick<
      Delivery,
      'id' | 'accountId' | 'webhookId' | 'event' | 'body' | 'isTest' | 'createdAt'
    >[],
  ): Promise<void> {
    await this.pool.query(
      `INSERT INTO webhooks.deliveries (id, account_id, webhook_id, event, body, is_test, created_at, next_attempt_at)
       SELECT "id", "accountId", "webhookId", "event", "body", "isTest", "createdAt", "createdAt"
       FROM jsonb_to_recordset($1) AS given ("id" text, "accountId" text, "webhookId" text, "event" text, "body" text,
         "isTest" boolean, "createdAt" timestamptz)
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

  /** Notes an attempt together with what it leaves the delivery as. */
  async attempted(delivery: Delivery, attemptedAt: Instant, outcome: Outcome, result: Result): Promise<void> {
    await inTransaction(this.pool, async (tx) => {
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
          outcome.response,
        ],
      );
      await tx.query(
        `UPDATE webhooks.deliveries SET attempts = attempts + 1, status = $2, failure = $3, next_attempt_at = $4
         WHERE id = $1`,
        [delivery.id, result.status, result.failure, result.nextAttemptAt],
      );
      await tx.query('SELECT pg_notify($1, $2)', [ATTEMPTED_CHANNEL, delivery.id]);
    });
  }

  /** Ends a delivery that can be attempted no more. */
  async gaveUp(delivery: Delivery, failure: string): Promise<void> {
    await this.pool.query(
      `WITH gave_up AS (
         UPDATE webhooks.deliveries SET status = 'failed', failure = $2, next_attempt_at = NULL WHERE id = $1
       ) SELECT pg_notify('${ATTEMPTED_CHANNEL}', $1)`,
      [delivery.id, failure],
    );
  }

  /** A page of an endpoint's deliveries, newest first, each with its attempts, oldest first. */
  async list(
    webhookId: string,
    page: { limit: number; offset: number },
  ): Promise<{ delivery: Delivery; attempts: Attempt[] }[]> {
    const { rows } = await this.pool.query<Delivery>(
      `SELECT ${FIELDS} FROM webhooks.deliveries WHERE webhook_id = $1 ORDER BY number DESC LIMIT $2 OFFSET $3`,
      [webhookId, page.limit, page.offset],
    );
    const attempts = await this.attemptsOf(rows.map(({ id }) => id));
    return rows.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] }));
  }

  /**
   * A delivery once it is no longer pending, with its attempts. Unavailable if that takes longer than
   * `timeoutMillis`: then nobody is there to send it.
   */
  async settled(id: string, timeoutMillis: number): Promise<{ delivery: Delivery; attempts: Attempt[] }> {
    const heard = Promise.withResolvers<void>();
    const unlisten = await this.listener.on(ATTEMPTED_CHANNEL, (attempted) => {
      if (attempted === id) heard.resolve();
    });
    const timer = setTimeout(heard.resolve, timeoutMillis);
    try {
      let delivery = await this.find(id);
      if (!delivery || delivery.status === 'pending') {
        await heard.promise;
        delivery = await this.find(id);
      }
      if (!delivery || delivery.status === 'pending')
        throw new Unavailable(
          'webhook_not_sent_yet',
          'The test was not sent in time; it will be, and then stands among the deliveries',
        );
      return { delivery, attempts: (await this.attemptsOf([id])).get(id) ?? [] };
    } finally {
      clearTimeout(timer);
      unlisten();
    }
  }

  private async attemptsOf(ids: string[]): Promise<Map<string, Attempt[]>> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.pool.query<Attempt & { deliveryId: string }>(
      `SELECT delivery_id AS "deliveryId", number, attempted_at AS "attemptedAt", status_code AS "statusCode", error,
         duration_millis AS "durationMillis", response
       FROM webhooks.attempts WHERE delivery_id = ANY($1) ORDER BY number`,
      [ids],
    );
    return Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  }
}
