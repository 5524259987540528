import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { HeldCommandRegistry } from '#libs/contexts/approvals';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { PlanPublicationGate } from '../plan-publication-gate.js';
import { planDecider, type Plan, type PlanCommand } from '../plan.js';

/**
 * Publishes the draft of a plan, or deletes the plan. Throws ActionHeld if subscribers can pay less by the draft, and this needs approval.
 */
export class ChangePlan extends Command<Plan> {
  constructor(
    readonly context: CommandContext,
    readonly change: Extract<PlanCommand, { type: 'PublishPlan' | 'DeletePlan' }>,
  ) {
    super();
  }
}

/** The data of a publication in its approval request. */
interface HeldPublication {
  readonly planId: string;
}

@CommandHandler(ChangePlan)
export class ChangePlanHandler implements ICommandHandler<ChangePlan> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly gate: PlanPublicationGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldPublication, Plan>({
      kind: 'publish-plan',
      createCommand: (context, { planId }) => new ChangePlan(context, publicationOf(context, planId)),
      propose: (context, data) =>
        this.gate.propose(context, publicationOf(context, data.planId), { kind: 'publish-plan', data }),
      resourceOf: ({ planId: id }) => ({ type: 'plan', id }),
    });
  }

  async execute({ context, change }: ChangePlan): Promise<Plan> {
    if (change.type === 'PublishPlan') {
      const data: HeldPublication = { planId: change.planId };
      await this.gate.requireApprovalIfNeeded(context, change, { kind: 'publish-plan', data });
    }
    const id = aggregateId(context.workspaceId, change.planId);
    return (await this.aggregates.execute(planDecider, id, context, change)).state.plan!;
  }
}

function publicationOf({ now: at }: CommandContext, planId: string) {
  return { type: 'PublishPlan', at, planId } as const;
}
