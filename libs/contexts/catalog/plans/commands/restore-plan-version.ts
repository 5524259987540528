import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { HeldCommandRegistry } from '#libs/contexts/approvals';
import { Conflict, NotFound } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { retryOnRevisionChange } from '../../references.js';
import { requireCommitmentIntervalFits } from '../minimum-commitment.js';
import { planDecider, planVersion, requirePlan, type Plan } from '../plan.js';
import { PlanPublicationGate } from '../plan-publication-gate.js';
import { PriceReferences } from '../price-references.js';

/**
 * Publishes an earlier version of a plan, also if the version was never published before. A draft with another number is discarded. Throws
 * NotFound if the plan does not have the version. Throws Conflict (`price_deleted`) if a price of this version is deleted. Throws
 * InvalidRequest if the prices now make the billing interval longer than the interval of the version's minimum commitment. Throws ActionHeld
 * if subscribers can pay less by the version, and this needs approval.
 */
export class RestorePlanVersion extends Command<Plan> {
  constructor(
    readonly context: CommandContext,
    readonly planId: string,
    readonly version: number,
  ) {
    super();
  }
}

/** The data of a restoration in its approval request. */
interface HeldRestoration {
  readonly planId: string;
  readonly version: number;
}

@CommandHandler(RestorePlanVersion)
export class RestorePlanVersionHandler implements ICommandHandler<RestorePlanVersion> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly references: PriceReferences,
    private readonly gate: PlanPublicationGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldRestoration, Plan>({
      kind: 'restore-plan-version',
      createCommand: (context, { planId, version }) => new RestorePlanVersion(context, planId, version),
      propose: (context, data) =>
        this.gate.propose(context, restorationOf(context, data), { kind: 'restore-plan-version', data }),
      resourceOf: ({ planId: id }) => ({ type: 'plan', id }),
    });
  }

  async execute({ context, planId, version }: RestorePlanVersion): Promise<Plan> {
    const id = aggregateId(context.workspaceId, planId);
    const repeated = await this.aggregates.findRepeated(planDecider, id, context);
    if (repeated?.plan) return repeated.plan;
    const data: HeldRestoration = { planId, version };
    await this.gate.requireApprovalIfNeeded(context, restorationOf(context, data), {
      kind: 'restore-plan-version',
      data,
    });
    return retryOnRevisionChange(this.aggregates, planDecider, id, async () => {
      const state = await this.aggregates.load(planDecider, id);
      const { prices, minimumCommitment } = planVersion(requirePlan(planId, state), version);
      const { revision } = state!;
      await this.reference(context, prices, { planId, planRevision: revision + 1, version });
      const { billingInterval } = await this.references.currencyAndIntervalOf(context.workspaceId, prices);
      requireCommitmentIntervalFits(minimumCommitment, billingInterval);
      const command = { type: 'RestorePlanVersion', at: context.now, planId, revision, version } as const;
      return requirePlan(planId, (await this.aggregates.execute(planDecider, id, context, command)).state);
    });
  }

  private async reference(
    context: CommandContext,
    prices: string[],
    { version, ...plan }: { planId: string; planRevision: number; version: number },
  ): Promise<void> {
    try {
      await this.references.writeReferences(context, prices, plan);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      throw new Conflict(
        'price_deleted',
        `Version ${version} has a price that has been deleted; make a new version with PATCH instead. ${error.message}`,
      );
    }
  }
}

function restorationOf({ now: at }: CommandContext, { planId, version }: HeldRestoration) {
  return { type: 'RestorePlanVersion', at, planId, version } as const;
}
