import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable } from '#libs/kernel/core';
import { EventFeed } from '#libs/kernel/event-store';
import { inTransaction, preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { ReadModels } from '#libs/kernel/projection';
import { raiseGateVersion } from '#libs/usage';
import type { LimitSpan } from '../limits/events.js';
import { markCountersOutdated } from './counter-rows.js';

/** The time that the read models get to include a change, in milliseconds. */
const READ_MODELS_MILLIS = 5_000;

/** Lets the usage of customers be counted in other windows, after their time zone or a subscription has changed. */
@Injectable()
export class MovedWindows {
  constructor(
    private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly feed: EventFeed,
  ) {}

  /**
   * Marks the counters of a customer, so that they are counted from the log before their next use. All usage that is stored afterwards
   * is counted in the present windows: the log refuses usage that was prepared by the windows from before. Throws Unavailable if the read
   * models are behind, or if one of the counters is being counted. Then nothing has changed, and the caller must try again.
   *
   * @param spans the spans whose windows may have moved
   */
  async apply(workspaceId: string, customerId: string, spans: readonly LimitSpan[]): Promise<void> {
    if (!(await hasLimits(this.pool, workspaceId, customerId, spans))) {
      await inTransaction(this.pool, (tx) => markCountersOutdated(tx, { workspaceId, customerId }));
      return;
    }
    await this.untilReadable();
    await inTransaction(this.pool, async (tx) => {
      // It waits for usage that is being stored, and that holds counters. So it comes before their locks.
      await raiseGateVersion(tx, workspaceId);
      await markCountersOutdated(tx, { workspaceId, customerId });
    });
  }

  /** Waits until the read models have the change. Whoever prepares usage by the new version reads the new windows from them. */
  private async untilReadable(): Promise<void> {
    const head = await this.feed.head();
    if (head === undefined || (await this.readModels.waitFor(head, READ_MODELS_MILLIS))) return;
    throw new Unavailable(
      'read_models_behind',
      'The read models are behind; the usage is counted again later',
    );
  }
}

/** Whether a customer has limits on such spans. */
async function hasLimits(
  db: Queryable,
  workspaceId: string,
  customerId: string,
  spans: readonly LimitSpan[],
): Promise<boolean> {
  const { rows } = await db.query(
    preparedStatement(
      `SELECT FROM limits.rules WHERE workspace_id = $1 AND (customer_id IS NULL OR customer_id = $2)
         AND rule->>'per' = ANY ($3::text[]) LIMIT 1`,
      [workspaceId, customerId, spans],
    ),
  );
  return rows.length > 0;
}
