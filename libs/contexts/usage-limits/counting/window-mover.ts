import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Unavailable } from '#libs/kernel/core';
import { EventFeed } from '#libs/kernel/event-store';
import { inTransaction, preparedStatement, type Queryable } from '#libs/kernel/postgres';
import { ReadModelProgress } from '#libs/kernel/projection';
import { BatchedReads } from '#libs/kernel/system';
import { raiseGateVersion } from '#libs/usage';
import type { LimitWindowKind } from '../limits/events.js';
import { markCountersOutdated } from './counter-rows.js';
import { MovedPeriodFinder } from './moved-period-finder.js';

/** The maximum time to wait until the read models include a change, in milliseconds. */
const READ_MODELS_MILLIS = 5_000;

/** A move of the windows of a customer, because of a new time zone or an event of a subscription. */
export interface WindowMove {
  readonly customerId: string;
  /** The kinds of limit windows that may have moved. */
  readonly windowKinds: readonly LimitWindowKind[];
  /** The event of a subscription that moved the windows. Absent if the time zone has changed. */
  readonly subscription?: { readonly subscriptionId: string; readonly eventId: string };
}

/** Recounts the usage of customers in new windows after their time zone or a subscription has changed. */
@Injectable()
export class WindowMover {
  /**
   * Collects the window moves of a workspace's customers. While one change of the rules' version runs, later moves are collected and share
   * the next change.
   */
  private readonly moving: BatchedReads<string, Unavailable | undefined>;

  constructor(
    private readonly pool: Pool,
    private readonly readModels: ReadModelProgress,
    private readonly feed: EventFeed,
    private readonly periods: MovedPeriodFinder,
  ) {
    this.moving = new BatchedReads((workspaceId, customerIds) => this.moveEach(workspaceId, customerIds));
  }

  /**
   * Marks the counters of a customer as outdated, so that they are counted from the log before their next use. Usage that is stored after
   * the call is counted in the new windows, because the log refuses usage prepared with the earlier windows. Throws Unavailable if the read
   * models are behind, or if one of the counters is being counted. If the call throws Unavailable, nothing has changed and the caller must
   * try again. Does nothing if the event of a subscription moves no window of the customer's limits.
   */
  async apply(
    workspaceId: string,
    { customerId, windowKinds: spans, subscription }: WindowMove,
  ): Promise<void> {
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

  /**
   * Moves the windows of customers. Returns for each customer the reason why the move must be tried again, if there is one. A long count
   * for one customer does not stop the moves of other customers.
   */
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
        // This statement waits for usage that is being stored and has locked counters. So it comes before this transaction locks counters.
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
   * Waits until the read models include the new time zones and subscriptions. Usage that is prepared with the new version of the rules
   * takes its windows from the read models.
   */
  private async untilReadable(): Promise<void> {
    const head = await this.feed.readHead();
    if (head === undefined || (await this.readModels.waitFor(head, READ_MODELS_MILLIS))) return;
    throw new Unavailable(
      'read_models_behind',
      'The read models are behind; the usage is counted again later',
    );
  }
}

/** Returns the metrics on which a customer has limits with these kinds of windows. */
async function limitedMetrics(
  db: Queryable,
  workspaceId: string,
  customerId: string,
  spans: readonly LimitWindowKind[],
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
