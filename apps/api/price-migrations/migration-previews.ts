import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/catalog';
import type { CommandContext } from '#libs/event-store';
import {
  migrationEffect,
  requirePlans,
  totalEffects,
  type MigrationDetails,
  type MigrationEffect,
  type TotalEffect,
} from '#libs/price-migrations';
import { SubscriptionQueries } from '#projections/subscriptions';

const BETWEEN_TURNS = 20;

/** What migrations would come to, by the subscriptions as they are shown now. */
@Injectable()
export class MigrationPreviews {
  constructor(
    private readonly catalog: Catalog,
    private readonly subscriptions: SubscriptionQueries,
  ) {}

  /** The effect on each subscription that is covered, by id, and on all. NotFound if a plan is not in the workspace. */
  async preview(
    { accountId, now }: Pick<CommandContext, 'accountId' | 'now'>,
    scope: Pick<MigrationDetails, 'fromPlanId' | 'toPlanId' | 'customerIds'>,
  ): Promise<{ effects: MigrationEffect[]; totals: TotalEffect[] }> {
    await requirePlans(this.catalog, accountId, scope);
    const { fromPlanId: planId, toPlanId, customerIds } = scope;
    const { name: planName, trialDays: _, ...to } = await this.catalog.resolvePlan(accountId, toPlanId);
    const effects: MigrationEffect[] = [];
    for await (const subscription of this.subscriptions.onPlan(accountId, { planId, customerIds })) {
      effects.push(migrationEffect(subscription, { ...to, planName }, now));
      // Ten thousand take seconds to reckon: other requests get their turns meanwhile.
      if (effects.length % BETWEEN_TURNS === 0) await nextTurn();
    }
    return { effects, totals: totalEffects(effects) };
  }
}
