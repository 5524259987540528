import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { planDecider, type Plan, type PlanCommand } from '../plan.js';

/** Publishes the draft of a plan, or deletes the plan. */
export class ChangePlan extends Command<Plan> {
  constructor(
    readonly context: CommandContext,
    readonly change: Extract<PlanCommand, { type: 'PublishPlan' | 'DeletePlan' }>,
  ) {
    super();
  }
}

@CommandHandler(ChangePlan)
export class ChangePlanHandler implements ICommandHandler<ChangePlan> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, change }: ChangePlan): Promise<Plan> {
    const id = aggregateId(context.workspaceId, change.planId);
    return (await this.aggregates.execute(planDecider, id, context, change)).state.plan!;
  }
}
