import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Conflict } from '#libs/kernel/core';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { draftOrPublishedVersion, findPlanOffering, planDecider, type PlanState } from '../../plans/plan.js';
import { priceDecider, requirePrice } from '../price.js';

/**
 * Deletes a price. Throws Conflict (`price_in_use`) if the published version or the draft of a plan has the price. Existing subscriptions
 * keep the deleted price.
 */
export class DeletePrice extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly priceId: string,
  ) {
    super();
  }
}

@CommandHandler(DeletePrice)
export class DeletePriceHandler implements ICommandHandler<DeletePrice> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, priceId }: DeletePrice): Promise<void> {
    const { workspaceId } = context;
    const id = aggregateId(workspaceId, priceId);
    const state = await this.aggregates.load(priceDecider, id);
    requirePrice(priceId, state);
    const { references } = state!;
    const planOf = (planId: string) => this.aggregates.load(planDecider, aggregateId(workspaceId, planId));
    await Promise.all(
      Object.keys(references).map(async (planId) => refuseIfOffered(priceId, await planOf(planId))),
    );
    await Promise.all(
      Object.entries(references).map(async ([planId, revision]) =>
        refuseIfOffered(priceId, await this.stopChange(context, planId, revision)),
      ),
    );
    const command = { type: 'DeletePrice', priceId, checkedReferences: references } as const;
    await this.aggregates.execute(priceDecider, id, context, command);
  }

  private async stopChange(context: CommandContext, planId: string, revision: number): Promise<PlanState> {
    const command = { type: 'StopPlanChange', planId, revision } as const;
    const following = followUpContext(context, `overtake ${planId} ${revision}`);
    const id = aggregateId(context.workspaceId, planId);
    return (await this.aggregates.execute(planDecider, id, following, command)).state;
  }
}

function refuseIfOffered(priceId: string, state: PlanState | undefined): void {
  const plan = findPlanOffering(state, priceId);
  if (!plan) return;
  const { name } = draftOrPublishedVersion(plan);
  throw new Conflict(
    'price_in_use',
    `The plan "${name}" (${plan.planId}) has this price; take it out of the plan first`,
  );
}
