import { Injectable } from '@nestjs/common';
import { TrialFinder } from '#libs/contexts/credits';
import type { Instant } from '#libs/kernel/core';
import { preparedStatement, type Queryable } from '#libs/kernel/postgres';

const OF_CUSTOMER = `
  read.subscriptions WHERE workspace_id = $1 AND customer_id = $2 AND live AND state->>'currency' = $3`;

/** Finds trials of customers in the read model of subscriptions. A paused subscription keeps the period of its trial. */
@Injectable()
export class ReadModelTrialFinder extends TrialFinder {
  override async isInTrial(
    db: Queryable,
    {
      workspaceId,
      customerId,
      currency,
    }: { readonly workspaceId: string; readonly customerId: string; readonly currency: string },
    at: Instant,
  ): Promise<boolean> {
    const { rows } = await db.query<{ isTrial: boolean }>(
      preparedStatement(
        `SELECT NOT EXISTS (SELECT FROM ${OF_CUSTOMER} AND state->>'phase' = 'active')
           AND EXISTS (
             SELECT FROM ${OF_CUSTOMER} AND (
               (state->>'phase' = 'trialing' AND state->>'trialEnd' > $4)
               OR (state->>'phase' = 'paused' AND state->>'trialEnd' = state#>>'{period,end}')
             )
           ) AS "isTrial"`,
        [workspaceId, customerId, currency, at],
      ),
    );
    return rows[0]!.isTrial;
  }
}
