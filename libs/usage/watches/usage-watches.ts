import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { prepared, type Queryable } from '#libs/postgres';
import { LogHead } from '../log-head.js';
import { MeterStore } from '../meters/meter-store.js';

/** Somebody who wants to hear when a customer's usage moves. */
export interface UsageWatch {
  readonly accountId: string;
  readonly customerId: string;
  /** Tells several watches of one customer apart. */
  readonly watcher: string;
}

/** News for a watcher: usage of its customer was folded. */
export type MovedUsage = Pick<UsageWatch, 'accountId' | 'watcher'>;

const KEY = '(w.account_id, w.customer_id, w.watcher) = (m.account_id, m.customer_id, m.watcher)';

/**
 * Tells who wants to hear of it that a customer's usage has moved. Folding the meters notes it, in the same transaction; a workspace that
 * nobody watches costs a fold one look at an empty index.
 */
@Injectable()
export class UsageWatches {
  constructor(
    private readonly pool: Pool,
    private readonly meters: MeterStore,
    private readonly head: LogHead,
  ) {}

  /** Begins a watch, or notes that its watcher looks now: usage that is acknowledged after this call is told of, at least once. */
  async begin({ accountId, customerId, watcher }: UsageWatch): Promise<void> {
    await this.pool.query(
      prepared(
        `INSERT INTO usage.watches (account_id, customer_id, watcher) VALUES ($1, $2, $3)
         ON CONFLICT (account_id, customer_id, watcher) DO UPDATE SET asked = false`,
        [accountId, customerId, watcher],
      ),
    );
  }

  /** Ends a watch; nothing if there is none. */
  async end({ accountId, customerId, watcher }: UsageWatch): Promise<void> {
    await this.pool.query(
      'DELETE FROM usage.watches WHERE account_id = $1 AND customer_id = $2 AND watcher = $3',
      [accountId, customerId, watcher],
    );
  }

  /** Takes up to `limit` pieces of news, without those for watchers who are still to look. Told when the transaction commits. */
  async take(tx: Queryable, limit: number): Promise<MovedUsage[]> {
    const { rows } = await tx.query<MovedUsage>(
      prepared(
        `WITH m AS (
           SELECT account_id, customer_id, watcher FROM usage.watches
           WHERE moved AND NOT asked LIMIT $1 FOR UPDATE SKIP LOCKED
         )
         UPDATE usage.watches w SET moved = false, asked = true FROM m WHERE ${KEY}
         RETURNING w.account_id AS "accountId", w.watcher`,
        [limit],
      ),
    );
    return rows;
  }

  /** Takes all the news of a workspace. */
  async takeAll(tx: Queryable, accountId: string): Promise<MovedUsage[]> {
    const { rows } = await tx.query<MovedUsage>(
      `UPDATE usage.watches SET moved = false, asked = true WHERE account_id = $1 AND moved
       RETURNING account_id AS "accountId", watcher`,
      [accountId],
    );
    return rows;
  }

  /** Folds all that watched customers of a workspace have used by now, so that it is noted; whether there are any. */
  async fold(accountId: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ stream: number | null }>(
      `SELECT DISTINCT t.id AS stream
       FROM usage.watches w
       LEFT JOIN usage.series s ON s.customer_id = w.customer_id
       LEFT JOIN usage.streams t ON t.id = s.stream_id AND t.account_id = w.account_id
       WHERE w.account_id = $1`,
      [accountId],
    );
    if (rows.length === 0) return false;
    const head = await this.head.read();
    const streams = rows.flatMap(({ stream }) => stream ?? []);
    for (const meter of await this.meters.behind(streams)) await this.meters.catchUp(meter, head);
    return true;
  }
}
