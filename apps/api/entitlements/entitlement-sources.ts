import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { EntitlementGrant } from '#libs/contexts/entitlements';
import type { Subscription } from '#libs/contexts/subscriptions';
import { NotFound } from '#libs/kernel/core';
import { preparedStatement } from '#libs/kernel/postgres';
import { BatchedReads } from '#libs/kernel/system';

/** The parts of a subscription from which its features follow. */
export type EntitlingSubscription = Pick<
  Subscription,
  'status' | 'planId' | 'planVersion' | 'items' | 'period' | 'startedAt'
>;

/** The subscriptions and grants from which a customer has features. Each list begins with the oldest. */
export interface EntitlementSources {
  /** The subscriptions that have not ended. */
  readonly subscriptions: readonly EntitlingSubscription[];
  /** The grants that were not removed. */
  readonly grants: readonly EntitlementGrant[];
}

/** The subscriptions and grants of a customer, and whether the customer exists. */
interface KnownGrants extends EntitlementSources {
  readonly known: boolean;
}

/**
 * Reads the subscriptions and grants of customers from three read models, in one statement. Products ask for entitlements very often, so
 * more statements would be slow. Requests that come at the same time share one statement.
 */
@Injectable()
export class EntitlementSourcesReader {
  private readonly reading: BatchedReads<string, KnownGrants>;

  constructor(private readonly pool: Pool) {
    this.reading = new BatchedReads((workspaceId, customerIds) => this.readAll(workspaceId, customerIds));
  }

  /** Throws NotFound if the customer is deleted or not in the workspace. */
  async of(workspaceId: string, customerId: string): Promise<EntitlementSources> {
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
