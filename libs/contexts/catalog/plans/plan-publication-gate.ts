import { Injectable } from '@nestjs/common';
import { ApprovalGate, type ProposedAction } from '#libs/contexts/approvals';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import type { PriceConfig } from '#libs/rating';
import { currentPriceVersion, priceDecider } from '../prices/price.js';
import { canLowerPlan, proposedPlanLowering } from './plan-lowering.js';
import { planDecider, planVersion, type PlanCommand } from './plan.js';

/** A command that publishes a version of a plan, without the revision that the plan must have. */
export type Publication =
  | Extract<PlanCommand, { type: 'PublishPlan' }>
  | Omit<Extract<PlanCommand, { type: 'RestorePlanVersion' }>, 'revision'>;

/** Holds the publication of a plan version by which subscribers can pay less, if the policy of `price.lower` needs an approval. */
@Injectable()
export class PlanPublicationGate {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly gate: ApprovalGate,
  ) {}

  /** Throws ActionHeld if the publication needs approval. `held` is the command in its approval request. */
  async requireApprovalIfNeeded(
    context: CommandContext,
    publication: Publication,
    held: ProposedAction['command'],
  ): Promise<void> {
    await this.gate.requireApprovalIfNeeded(context, 'price.lower', () =>
      this.propose(context, publication, held),
    );
  }

  /** Describes the publication for its approval request. Undefined if nobody pays less, or if it has run already. */
  async propose(
    context: CommandContext,
    publication: Publication,
    held: ProposedAction['command'],
  ): Promise<ProposedAction | undefined> {
    const { workspaceId } = context;
    const id = aggregateId(workspaceId, publication.planId);
    const state = await this.aggregates.load(planDecider, id);
    const command =
      publication.type === 'PublishPlan' ? publication : { ...publication, revision: state?.revision ?? 0 };
    const preview = await this.aggregates.preview(planDecider, id, context, command);
    if (!preview) return undefined;
    const [before, after] = [preview.before!.plan!, preview.after.plan!];
    const old = planVersion(before, before.publishedVersion);
    const published = planVersion(after, after.publishedVersion);
    const configs = new Map<string, PriceConfig>();
    for (const priceId of published.prices) {
      const price = (await this.aggregates.load(priceDecider, aggregateId(workspaceId, priceId)))?.price;
      if (price) configs.set(priceId, currentPriceVersion(price).config);
    }
    const isLower = canLowerPlan(old, published, (priceId) => configs.get(priceId));
    return isLower ? proposedPlanLowering(before, after, held) : undefined;
  }
}
