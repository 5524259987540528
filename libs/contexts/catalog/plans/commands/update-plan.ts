import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { retryOnRevisionChange } from '../../references.js';
import { readBillingThresholds } from '../billing-thresholds.js';
import type { PlanDetails } from '../events.js';
import { readMinimumCommitment, requireCommitmentIntervalFits } from '../minimum-commitment.js';
import { readFeatures } from '../plan-features.js';
import { readPriceIds, type PlanInput } from '../plan-input.js';
import { draftOrPublishedVersion, planDecider, requirePlan, type Plan } from '../plan.js';
import { PriceReferences } from '../price-references.js';

/**
 * Creates a new draft version of a plan with the given fields. The new draft replaces an earlier draft. Does nothing if the given fields
 * are the same as in the draft, or in the published version if there is no draft.
 */
export class UpdatePlan extends Command<Plan> {
  constructor(
    readonly context: CommandContext,
    readonly planId: string,
    readonly input: Partial<PlanInput>,
  ) {
    super();
  }
}

@CommandHandler(UpdatePlan)
export class UpdatePlanHandler implements ICommandHandler<UpdatePlan> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly references: PriceReferences,
  ) {}

  async execute({ context, planId, input }: UpdatePlan): Promise<Plan> {
    const { name, description, trialDays, visibility } = input;
    const prices = input.prices === undefined ? undefined : readPriceIds(input.prices);
    const features = input.features === undefined ? undefined : readFeatures(input.features);
    const billingThresholds =
      input.billingThresholds === undefined ? undefined : readBillingThresholds(input.billingThresholds);
    const minimumCommitment =
      input.minimumCommitment === undefined ? undefined : readMinimumCommitment(input.minimumCommitment);
    const id = aggregateId(context.workspaceId, planId);
    if (features !== undefined) {
      requirePlan(planId, await this.aggregates.load(planDecider, id));
      await this.references.requireMetrics(context.workspaceId, features);
    }
    return retryOnRevisionChange(this.aggregates, planDecider, id, async () => {
      if (prices !== undefined || minimumCommitment !== undefined)
        await this.requireIntervalToFit(context, planId, { prices, minimumCommitment });
      const named = prices === undefined ? undefined : await this.reference(context, planId, prices);
      const changes = {
        name,
        nameTranslations: input.nameTranslations === null ? {} : input.nameTranslations,
        description,
        prices,
        currency: named?.currency,
        features,
        trialDays,
        visibility,
        minimumCommitment,
        billingThresholds,
      };
      const command = {
        type: 'UpdatePlan',
        at: context.now,
        planId,
        revision: named?.revision,
        changes,
      } as const;
      return requirePlan(planId, (await this.aggregates.execute(planDecider, id, context, command)).state);
    });
  }

  /** Throws InvalidRequest if the interval of the resulting minimum commitment is shorter than the billing interval of the prices. */
  private async requireIntervalToFit(
    { workspaceId }: CommandContext,
    planId: string,
    changes: Partial<Pick<PlanDetails, 'minimumCommitment'>> & { prices: string[] | undefined },
  ): Promise<void> {
    const state = await this.aggregates.load(planDecider, aggregateId(workspaceId, planId));
    const latest = draftOrPublishedVersion(requirePlan(planId, state));
    const { minimumCommitment = latest.minimumCommitment, prices = latest.prices } = changes;
    if (minimumCommitment === null || typeof minimumCommitment === 'string') return;
    const { billingInterval } = await this.references.currencyAndIntervalOf(workspaceId, prices);
    requireCommitmentIntervalFits(minimumCommitment, billingInterval);
  }

  /**
   * Writes references to the plan on the streams of the prices that the change names. Returns the currency of the prices, and the revision
   * that the plan's stream must have before the change.
   */
  private async reference(
    context: CommandContext,
    planId: string,
    prices: string[],
  ): Promise<{ currency: string; revision: number }> {
    const state = await this.aggregates.load(planDecider, aggregateId(context.workspaceId, planId));
    requirePlan(planId, state);
    const { revision } = state!;
    const { currency } = await this.references.currencyAndIntervalOf(context.workspaceId, prices);
    await this.references.writeReferences(context, prices, { planId, planRevision: revision + 1 });
    return { currency, revision };
  }
}
