import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { NotFound, Unavailable, type Instant, type ListOrder, type ListPart } from '#libs/kernel/core';
import { inTransaction, NotificationListener } from '#libs/kernel/postgres';
import type { Outcome } from './sender.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

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

/** One event on its way to one endpoint. */
export interface Delivery {
  /** `evt_…`, the same at every attempt. */
  id: string;
  workspaceId: string;
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
  /** How often it was asked for again. Each time another task brings it. */
  round: number;
  /** How many of the attempts were made before it was last begun anew, and when that was: its schedule counts from there. */
  attemptsBefore: number;
  /** By the workspace's clock. */
  begunAt: Instant;
  /** By the workspace's clock; `null` when there will be none. */
  nextAttemptAt: Instant | null;
  /** By the machine's clock, as are the times of attempts. */
  createdAt: Instant;
}

/** A delivery with its attempts, oldest first. */
export interface DeliveryReport {
  delivery: Delivery;
  /** In the order in which they were stored. */
  number: string;
  attempts: Attempt[];
}

/** Which deliveries are listed. The times are of their events, by the machine's clock, and count themselves. */
export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  since?: Instant | undefined;
  until?: Instant | undefined;
}

/** What an attempt leaves a delivery as. */
export type Result = Pick<Delivery, 'status' | 'failure' | 'nextAttemptAt'>;

const FIELDS = `id, workspace_id AS "workspaceId", webhook_id AS "webhookId", event, body, is_test AS "isTest", status,
  failure, attempts, round, attempts_before AS "attemptsBefore", coalesce(begun_at, created_at) AS "begunAt", next_attempt_at AS "nextAttemptAt", created_at AS "createdAt"`;

/** Postgres notifications: the id of a delivery that was attempted. */
const ATTEMPTED_CHANNEL = 'webhook_attempted';

/** The deliveries and their attempts. */
@Injectable()
export class DeliveryStore {
  readonly order: ListOrder<DeliveryReport> = {
    list: 'deliveries',
    parts: ['instant', 'number'],
    keyOf: ({ delivery: { createdAt }, number }) => [createdAt, number],
  };

  constructor(
    private readonly pool: Pool,
    private readonly listener: NotificationListener,
  ) {}

  /** Stores deliveries that are to be attempted at once. Storing one again changes nothing. */
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

  /** A page of an endpoint's deliveries that fit, newest first, each with its attempts, oldest first. */
  async list(
    webhookId: string,
    { status, event, since, until }: DeliveryFilter,
    { limit, offset, after }: ListPart,
  ): Promise<DeliveryReport[]> {
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

  /** A delivery of an endpoint with its attempts, oldest first; NotFound if there is none. */
  async get(webhookId: string, id: string): Promise<DeliveryReport> {
    const [report] = await this.reports('webhook_id = $1 AND id = $2', [webhookId, id]);
    if (!report) throw NotFound.of('delivery', id);
    return report;
  }

  /**
   * A delivery once it is no longer pending, with its attempts. Unavailable if that takes longer than
   * `timeoutMillis`: then nobody is there to send it.
   */
  async settled(id: string, timeoutMillis: number): Promise<DeliveryReport> {
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
      'The test was not sent in time; it will be, and then stands among the deliveries',
    );
  }

  private async settledNow(id: string): Promise<DeliveryReport | undefined> {
    const [report] = await this.reports('id = $1', [id]);
    return report && report.delivery.status !== 'pending' ? report : undefined;
  }

  /** Deliveries with their attempts, as both were at one moment. */
  private async reports(which: string, parameters: unknown[]): Promise<DeliveryReport[]> {
    const { rows } = await this.pool.query<
      Delivery & { attempt: Attempt['number'] | null; place: string } & Attempt
    >(
      `WITH page AS (SELECT * FROM webhooks.deliveries WHERE ${which})
       SELECT ${FIELDS}, page.number AS place, a.number AS attempt, a.attempted_at AS "attemptedAt", a.status_code AS "statusCode", a.error,
         a.duration_millis AS "durationMillis", a.response
       FROM page LEFT JOIN webhooks.attempts a ON a.delivery_id = page.id
       ORDER BY page.created_at DESC, page.number DESC, a.number`,
      parameters,
    );
    return [...Map.groupBy(rows, ({ id }) => id).values()].map((attempts) => ({
      delivery: attempts[0]!,
      number: attempts[0]!.place,
      attempts: attempts
        .filter(({ attempt }) => attempt !== null)
        .map((row) => ({ ...row, number: row.attempt! })),
    }));
  }
}
