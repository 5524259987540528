import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable } from '#libs/kernel/core';
import { EventFeed } from '#libs/kernel/event-store';
import { inTransaction, preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { ReadModels } from '#libs/kernel/projection';
import { BatchedReads } from '#libs/kernel/system';
import { raiseGateVersion } from '#libs/usage';
import type { LimitSpan } from '../limits/events.js';
import { markCountersOutdated } from './counter-rows.js';
import { MovedPeriods } from './moved-periods.js';

/** The time that the read models get to include a change, in milliseconds. */
const READ_MODELS_MILLIS = 5_000;

/** What has moved windows of a customer: a new time zone, or an event of a subscription. */
export interface WindowMove {
  readonly customerId: string;
  /** The spans whose windows may have moved. */
  readonly spans: readonly LimitSpan[];
  /** The event of a subscription. Absent if the time zone has changed. */
  readonly subscription?: { readonly subscriptionId: string; readonly eventId: string };
}

/** Lets the usage of customers be counted in other windows, after their time zone or a subscription has changed. */
@Injectable()
export class MovedWindows {
  /** The moves of a workspace's customers. While one change of the version runs, the next moves gather, and share the next change. */
  private readonly moving: BatchedReads<string, Unavailable | undefined>;

  constructor(
    private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly feed: EventFeed,
    private readonly periods: MovedPeriods,
  ) {
    this.moving = new BatchedReads((workspaceId, customerIds) => this.moveEach(workspaceId, customerIds));
  }

  /**
   * Marks the counters of a customer, so that they are counted from the log before their next use. All usage that is stored afterwards
   * is counted in the present windows: the log refuses usage that was prepared by the windows from before. Throws Unavailable if the read
   * models are behind, or if one of the counters is being counted. Then nothing has changed, and the caller must try again.
   */
  async apply(workspaceId: string, { customerId, spans, subscription }: WindowMove): Promise<void> {
    const limited = await limitedMetrics(this.pool, workspaceId, customerId, spans);
    if (limited.length === 0) {
      await inTransaction(this.pool, (tx) => markCountersOutdated(tx, { workspaceId, customerId }));
      return;
    }
    if (subscription) {
      const { subscriptionId, eventId } = subscription;
      const moved = await this.periods.metricsOf(workspaceId, subscriptionId, eventId);
      if (!moved.some((metricId) => limited.includes(metricId))) return;
    }
    const refusal = await this.moving.read(workspaceId, customerId);
    if (refusal) throw refusal;
  }

  /** Moves the windows of customers, and returns for each of them why it must be tried again. One long count does not stop the others. */
  private async moveEach(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<(Unavailable | undefined)[]> {
    await this.untilReadable();
    const refusal = await this.move(workspaceId, customerIds);
    if (!refusal || customerIds.length === 1) return customerIds.map(() => refusal);
    const refusals = new Map<string, Unavailable | undefined>();
    for (const customerId of new Set(customerIds))
      refusals.set(customerId, await this.move(workspaceId, [customerId]));
    return customerIds.map((customerId) => refusals.get(customerId));
  }

  private async move(workspaceId: string, customerIds: readonly string[]): Promise<Unavailable | undefined> {
    try {
      await inTransaction(this.pool, async (tx) => {
        // It waits for usage that is being stored, and that holds counters. So it comes before their locks.
        await raiseGateVersion(tx, workspaceId);
        for (const customerId of new Set(customerIds))
          await markCountersOutdated(tx, { workspaceId, customerId });
      });
      return undefined;
    } catch (error) {
      if (error instanceof Unavailable) return error;
      throw error;
    }
  }

  /**
   * Waits until the read models have the change. Usage that is prepared after the version is raised takes its windows from the read models.
   */
  private async untilReadable(): Promise<void> {
    const head = await this.feed.head();
    if (head === undefined || (await this.readModels.waitFor(head, READ_MODELS_MILLIS))) return;
    throw new Unavailable(
      'read_models_behind',
      'The read models are behind; the usage is counted again later',
    );
  }
}

/** Returns the metrics that a customer has limits on for such spans. */
async function limitedMetrics(
  db: Queryable,
  workspaceId: string,
  customerId: string,
  spans: readonly LimitSpan[],
): Promise<string[]> {
  const { rows } = await db.query<{ metricId: string }>(
    preparedStatement(
      `SELECT DISTINCT metric_id AS "metricId" FROM limits.rules
       WHERE workspace_id = $1 AND (customer_id IS NULL OR customer_id = $2) AND rule->>'per' = ANY ($3::text[])`,
      [workspaceId, customerId, spans],
    ),
  );
  return rows.map(({ metricId }) => metricId);
}
