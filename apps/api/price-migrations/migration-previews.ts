import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Catalog } from '#libs/catalog';
import { InvalidRequest } from '#libs/core';
import type { CommandContext } from '#libs/event-store';
import { CurrentSettings, prorationBasisOf } from '#libs/invoicing';
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
/** All of them are in one answer, and held until it is sent. */
const MOST_PREVIEWED = 10_000;

/** What migrations would come to, by the subscriptions as they are shown now. */
@Injectable()
export class MigrationPreviews {
  constructor(
    private readonly catalog: Catalog,
    private readonly subscriptions: SubscriptionQueries,
    private readonly settings: CurrentSettings,
  ) {}

  /** The effect on each subscription that is covered, by id, and on all. NotFound if a plan is not in the workspace; InvalidRequest if it would be too many. */
  async preview(
    { accountId, now }: Pick<CommandContext, 'accountId' | 'now'>,
    scope: Pick<MigrationDetails, 'fromPlanId' | 'toPlanId' | 'customerIds'>,
  ): Promise<{ effects: MigrationEffect[]; totals: TotalEffect[] }> {
    await requirePlans(this.catalog, accountId, scope);
    const { fromPlanId: planId, toPlanId, customerIds } = scope;
    const { name: planName, trialDays: _, ...to } = await this.catalog.resolvePlan(accountId, toPlanId);
    requirePreviewable(await this.subscriptions.countOnPlan(accountId, { planId, customerIds }));
    const settings = await this.settings.of(accountId);
    const effects: MigrationEffect[] = [];
    for await (const subscription of this.subscriptions.onPlan(accountId, { planId, customerIds })) {
      const basis = prorationBasisOf(settings, subscription);
      effects.push(migrationEffect(subscription, { ...to, planName }, now, basis));
      // Ten thousand take seconds to reckon: other requests get their turns meanwhile.
      if (effects.length % BETWEEN_TURNS === 0) await nextTurn();
    }
    return { effects, totals: totalEffects(effects) };
  }
}

/** Refuses a preview of so many subscriptions that one answer should not hold them. */
export function requirePreviewable(count: number): void {
  if (count > MOST_PREVIEWED)
    throw InvalidRequest.field(
      'customerIds',
      `must limit a preview to at most ${MOST_PREVIEWED} subscriptions, of the ${count} that it would be of; the migration itself may move all`,
      'too_many_subscriptions',
    );
}
