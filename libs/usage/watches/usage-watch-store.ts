import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { LogHead } from '../log-head.js';
import { MeterStore } from '../meters/meter-store.js';

/** A watcher that is notified when the usage of a certain customer changes. */
export interface UsageWatch {
  readonly workspaceId: string;
  readonly customerId: string;
  /** The id of the watcher, which distinguishes several watches of one customer. */
  readonly watcher: string;
}

const FIELDS = 'workspace_id AS "workspaceId", customer_id AS "customerId", watcher';

/**
 * Stores which watchers must be notified when a customer's usage changes. When meters fold events, the change is recorded in the same
 * transaction. If a workspace has no watchers, recording a change costs one index lookup, which finds nothing.
 */
@Injectable()
export class UsageWatchStore {
  constructor(
    private readonly pool: Pool,
    private readonly meters: MeterStore,
    private readonly head: LogHead,
  ) {}

  /** Begins a watch. Does nothing if it exists. Usage that is acknowledged after the watch begins is reported at least once. */
  async beginWatch({ workspaceId, customerId, watcher }: UsageWatch): Promise<void> {
    await this.pool.query(
      preparedStatement(
        `INSERT INTO usage.watches (workspace_id, customer_id, watcher) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        [workspaceId, customerId, watcher],
      ),
    );
  }

  /** Ends a watch. Does nothing if the watch does not exist. */
  async endWatch({ workspaceId, customerId, watcher }: UsageWatch): Promise<void> {
    await this.pool.query(
      'DELETE FROM usage.watches WHERE workspace_id = $1 AND customer_id = $2 AND watcher = $3',
      [workspaceId, customerId, watcher],
    );
  }

  /**
   * Returns up to `limit` watches whose watchers must be notified. Other processes do not notify these watchers until the transaction ends.
   */
  async lockWatchesToNotify(tx: Queryable, limit: number): Promise<UsageWatch[]> {
    const { rows } = await tx.query<UsageWatch>(
      preparedStatement(`SELECT ${FIELDS} FROM usage.watches WHERE moved LIMIT $1 FOR UPDATE SKIP LOCKED`, [
        limit,
      ]),
    );
    return rows;
  }

  /** Returns all watches of a workspace whose watchers must be notified. */
  async lockWorkspaceWatchesToNotify(tx: Queryable, workspaceId: string): Promise<UsageWatch[]> {
    const { rows } = await tx.query<UsageWatch>(
      `SELECT ${FIELDS} FROM usage.watches WHERE moved AND workspace_id = $1 ORDER BY customer_id, watcher FOR UPDATE`,
      [workspaceId],
    );
    return rows;
  }

  /**
   * Records that the watchers of these watches are notified. Commit the transaction before the watchers read the usage, so that no later
   * change is lost.
   */
  async markNotified(tx: Queryable, watches: readonly UsageWatch[]): Promise<void> {
    await tx.query(
      preparedStatement(
        `UPDATE usage.watches SET moved = false
         WHERE (workspace_id, customer_id, watcher) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))`,
        [
          watches.map(({ workspaceId }) => workspaceId),
          watches.map(({ customerId }) => customerId),
          watches.map(({ watcher }) => watcher),
        ],
      ),
    );
  }

  /**
   * Folds all present usage of a workspace's watched customers, so that watches with changed usage are marked. Returns false if the
   * workspace has no watches.
   */
  async foldWatchedUsage(workspaceId: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ stream: number | null }>(
      `SELECT DISTINCT t.id AS stream
       FROM usage.watches w
       LEFT JOIN usage.series s ON s.customer_id = w.customer_id
       LEFT JOIN usage.streams t ON t.id = s.stream_id AND t.workspace_id = w.workspace_id
       WHERE w.workspace_id = $1`,
      [workspaceId],
    );
    if (rows.length === 0) return false;
    const head = await this.head.read();
    const streams = rows.flatMap(({ stream }) => stream ?? []);
    for (const meter of await this.meters.metersWithUnfoldedEvents(streams))
      await this.meters.catchUp(meter, head);
    return true;
  }
}
