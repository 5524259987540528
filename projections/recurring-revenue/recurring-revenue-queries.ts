import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { DecimalString, Instant } from '#libs/kernel/core';
import type { MovementKind } from './recurring-revenue-row.js';
import type { MinimumCommitment, RecurringCadence } from '#libs/rating';

/** The sum of the revenue changes of one kind, in one month and currency. */
export interface MovementTotal {
  /** The month, such as `2026-01`. */
  readonly month: string;
  readonly currency: string;
  readonly kind: MovementKind;
  readonly amount: DecimalString;
}

/** The present monthly recurring revenue of all subscriptions with the same currency and the same planned end. */
export interface RevenueByPlannedEnd {
  readonly currency: string;
  /** The planned end of the subscriptions. The end is null if no end is planned. */
  readonly endsAt: Instant | null;
  readonly amount: DecimalString;
}

/** A charged subscription with a minimum commitment. */
export interface CommittedSubscription {
  readonly subscriptionId: string;
  readonly currency: string;
  /** The planned end of the subscription. The end is null if no end is planned. */
  readonly endsAt: Instant | null;
  readonly commitment: MinimumCommitment;
  /** The interval of a commitment without an interval of its own. */
  readonly billingInterval: RecurringCadence;
  /** The present monthly recurring revenue of the subscription. */
  readonly amount: DecimalString;
}

/** Sums up the monthly recurring revenue of a workspace. */
@Injectable()
export class RecurringRevenueQueries {
  constructor(private readonly pool: Pool) {}

  /** Returns the changes of recurring revenue up to a month, by month, currency and kind, oldest first. */
  async movementTotals(workspaceId: string, through: string): Promise<MovementTotal[]> {
    const { rows } = await this.pool.query<MovementTotal>(
      `SELECT one.movement->>'month' AS month, currency, one.movement->>'kind' AS kind,
         sum((one.movement->>'amount')::numeric)::text AS amount
       FROM read.recurring_revenue, jsonb_array_elements(movements) AS one(movement)
       WHERE workspace_id = $1 AND one.movement->>'month' <= $2
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      [workspaceId, through],
    );
    return rows;
  }

  /** Returns the present monthly recurring revenue, by currency and by the planned end of the subscriptions. */
  async amountsByPlannedEnd(workspaceId: string): Promise<RevenueByPlannedEnd[]> {
    const { rows } = await this.pool.query<RevenueByPlannedEnd>(
      `SELECT r.currency, s.state->>'cancelAt' AS "endsAt", sum(r.amount)::text AS amount
       FROM read.recurring_revenue r JOIN read.subscriptions s USING (stream)
       WHERE r.workspace_id = $1 AND r.amount <> 0 GROUP BY 1, 2 ORDER BY 1, 2`,
      [workspaceId],
    );
    return rows;
  }

  /** Returns the charged subscriptions that have a minimum commitment. */
  async committedSubscriptions(workspaceId: string): Promise<CommittedSubscription[]> {
    const { rows } = await this.pool.query<CommittedSubscription>(
      `SELECT s.id AS "subscriptionId", r.currency, s.state->>'cancelAt' AS "endsAt", r.amount::text AS amount,
         s.state->'minimumCommitment' AS commitment, s.state->>'billingInterval' AS "billingInterval"
       FROM read.recurring_revenue r JOIN read.subscriptions s USING (stream)
       WHERE r.workspace_id = $1 AND r.charged AND s.state ? 'minimumCommitment' ORDER BY 1`,
      [workspaceId],
    );
    return rows;
  }
}
