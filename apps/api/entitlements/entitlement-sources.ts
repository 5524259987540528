import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { EntitlementGrant } from '#libs/contexts/entitlements';
import type { Subscription } from '#libs/contexts/subscriptions';
import { NotFound } from '#libs/kernel/core';
import { preparedStatement } from '#libs/kernel/postgres';
import { BatchedReads } from '#libs/kernel/system';

/** The fields of a subscription that decide which features it gives. */
export type EntitlingSubscription = Pick<
  Subscription,
  'status' | 'planId' | 'planVersion' | 'items' | 'period' | 'startedAt'
>;

/** The subscriptions and grants that give features to a customer. Each list begins with the oldest entry. */
export interface EntitlementSources {
  /** The subscriptions of the customer that have not ended. */
  readonly subscriptions: readonly EntitlingSubscription[];
  /** The entitlement grants of the customer that were not removed. */
  readonly grants: readonly EntitlementGrant[];
}

/** The subscriptions and grants of a customer, and whether the customer exists. */
interface KnownGrants extends EntitlementSources {
  readonly known: boolean;
}

/**
 * Reads the subscriptions and grants of customers from three read models, with one SQL statement. Applications read entitlements very
 * often, so several SQL statements per read would be slow. Requests that arrive at the same time share one SQL statement.
 */
@Injectable()
export class EntitlementSourcesReader {
  private readonly reading: BatchedReads<string, KnownGrants>;

  constructor(private readonly pool: Pool) {
    this.reading = new BatchedReads((workspaceId, customerIds) => this.readAll(workspaceId, customerIds));
  }

  /** Throws NotFound if the customer was deleted or does not exist in the workspace. */
  async entitlementSourcesOf(workspaceId: string, customerId: string): Promise<EntitlementSources> {
    const { known, ...found } = await this.reading.read(workspaceId, customerId);
    if (!known) throw NotFound.of('customer', customerId);
    return found;
  }

  private async readAll(workspaceId: string, customerIds: readonly string[]): Promise<KnownGrants[]> {
    const { rows } = await this.pool.query<KnownGrants>(
      preparedStatement(
        `SELECT
           EXISTS (SELECT FROM read.customers WHERE workspace_id = $1 AND id = asked.id AND NOT deleted) AS known,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
              'status', state -> 'status', 'planId', state -> 'planId', 'planVersion', state -> 'planVersion',
              'items', state -> 'items', 'period', state -> 'period', 'startedAt', state -> 'startedAt'
            ) ORDER BY created_position), '[]')
            FROM read.subscriptions WHERE workspace_id = $1 AND customer_id = asked.id AND live) AS subscriptions,
           (SELECT coalesce(jsonb_agg(state ORDER BY created_position), '[]')
            FROM read.entitlement_grants WHERE workspace_id = $1 AND customer_id = asked.id AND NOT removed) AS grants
         FROM unnest($2::text[]) WITH ORDINALITY AS asked (id, n) ORDER BY n`,
        [workspaceId, customerIds],
      ),
    );
    return rows;
  }
}
