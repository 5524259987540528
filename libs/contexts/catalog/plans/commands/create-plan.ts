import { storedTranslations } from '#libs/kernel/core';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { retryOnRevisionChange } from '../../references.js';
import { readBillingThresholds } from '../billing-thresholds.js';
import { readMinimumCommitment, requireCommitmentIntervalFits } from '../minimum-commitment.js';
import { readFeatures } from '../plan-features.js';
import { readPriceIds, type PlanInput } from '../plan-input.js';
import { initialState, planDecider, requirePlan, type Plan } from '../plan.js';
import { PriceReferences } from '../price-references.js';

/** Creates a plan. Version 1 of the new plan is published at once. */
export class CreatePlan extends Command<Plan> {
  constructor(
    readonly context: CommandContext,
    readonly input: PlanInput,
  ) {
    super();
  }
}

@CommandHandler(CreatePlan)
export class CreatePlanHandler implements ICommandHandler<CreatePlan> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly references: PriceReferences,
  ) {}

  async execute({ context, input }: CreatePlan): Promise<Plan> {
    const { workspaceId, now: at } = context;
    const planId = idFor(context, 'plan');
    const id = aggregateId(workspaceId, planId);
    const repeated = await this.aggregates.findRepeated(planDecider, id, context);
    if (repeated?.plan) return repeated.plan;
    const prices = readPriceIds(input.prices);
    const others = {
      name: input.name,
      ...storedTranslations(input.nameTranslations),
      description: input.description ?? null,
      features: input.features === undefined ? [] : readFeatures(input.features),
      trialDays: input.trialDays ?? 0,
      visibility: input.visibility ?? 'public',
      minimumCommitment: readMinimumCommitment(input.minimumCommitment ?? null),
      billingThresholds: readBillingThresholds(input.billingThresholds ?? null),
    };
    await this.references.requireMetrics(workspaceId, others.features);
    return retryOnRevisionChange(this.aggregates, planDecider, id, async () => {
      const { revision, plan } = (await this.aggregates.load(planDecider, id)) ?? initialState;
      // An earlier run of this command created the plan, and checked its prices then.
      if (plan) return plan;
      const { currency, billingInterval } = await this.references.currencyAndIntervalOf(workspaceId, prices);
      requireCommitmentIntervalFits(others.minimumCommitment, billingInterval);
      await this.references.writeReferences(context, prices, { planId, planRevision: revision + 1 });
      const details = { ...others, prices, currency };
      const command = { type: 'CreatePlan', at, planId, revision, details } as const;
      return requirePlan(planId, (await this.aggregates.execute(planDecider, id, context, command)).state);
    });
  }
}
