import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { EntitlementGrant } from '#libs/contexts/entitlements';
import type { Subscription } from '#libs/contexts/subscriptions';
import { NotFound } from '#libs/kernel/core';
import { preparedStatement } from '#libs/kernel/postgres';

/** The parts of a subscription from which its features follow. */
export type GivingSubscription = Pick<
  Subscription,
  'status' | 'planId' | 'planVersion' | 'items' | 'period' | 'startedAt'
>;

/** What may give a customer features. Both lists begin with the oldest. */
export interface AccessGrants {
  /** The subscriptions that have not ended. */
  readonly subscriptions: readonly GivingSubscription[];
  /** The grants that were not removed. */
  readonly grants: readonly EntitlementGrant[];
}

/**
 * Reads what gives a customer features from three read models, in one statement. A product asks for entitlements while its customer works,
 * so each further statement would count.
 */
@Injectable()
export class AccessGrantsReader {
  constructor(private readonly pool: Pool) {}

  /** Throws NotFound if the customer is deleted or not in the workspace. */
  async of(workspaceId: string, customerId: string): Promise<AccessGrants> {
    const { rows } = await this.pool.query<AccessGrants & { known: boolean }>(
      preparedStatement(
        `SELECT
           EXISTS (SELECT FROM read.customers WHERE workspace_id = $1 AND id = $2 AND NOT deleted) AS known,
           (SELECT coalesce(jsonb_agg(jsonb_build_object(
              'status', state -> 'status', 'planId', state -> 'planId', 'planVersion', state -> 'planVersion',
              'items', state -> 'items', 'period', state -> 'period', 'startedAt', state -> 'startedAt'
            ) ORDER BY created_position), '[]')
            FROM read.subscriptions WHERE workspace_id = $1 AND customer_id = $2 AND live) AS subscriptions,
           (SELECT coalesce(jsonb_agg(state ORDER BY created_position), '[]')
            FROM read.entitlement_grants WHERE workspace_id = $1 AND customer_id = $2 AND NOT removed) AS grants`,
        [workspaceId, customerId],
      ),
    );
    const { known, ...found } = rows[0]!;
    if (!known) throw NotFound.of('customer', customerId);
    return found;
  }
}
