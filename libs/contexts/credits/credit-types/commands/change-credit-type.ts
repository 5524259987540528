import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { Catalog } from '#libs/contexts/catalog';
import { InvalidRequest } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { isChargeable } from '../chargeable-metric.js';
import { proposedCreditPriceLowering } from '../credit-price-lowering.js';
import { CreditTypeReferences } from '../credit-type-references.js';
import { CreditTypes } from '../credit-types.js';
import { creditTypeDecider, type CreditType, type CreditTypeCommand } from '../credit-type.js';
import type { RateGroup } from '../events.js';
import { SubscriptionByPriceFinder } from '../subscription-by-price-finder.js';

type Change = CreditTypeCommand extends infer One
  ? One extends { type: 'CreateCreditType' }
    ? never
    : Omit<One, 'at'>
  : never;

/** A change of the fields of a credit type. */
type PriceChange = Extract<Change, { type: 'UpdateCreditType' }>;

/**
 * Changes a credit type, or adds or removes a rate or an allowance. Throws NotFound for a credit type, metric or plan that is not in the
 * workspace. Throws NotFound for a rate or allowance to remove that the credit type does not have. Throws InvalidRequest for a metric whose
 * units cannot be charged one by one, or for which a live subscription has a price. Throws InvalidRequest for a rate that begins in the
 * past. Throws ActionHeld if the change lowers a price of the credits and needs approval.
 */
export class ChangeCreditType extends Command<CreditType> {
  constructor(
    readonly context: CommandContext,
    readonly change: Change,
  ) {
    super();
  }
}

@CommandHandler(ChangeCreditType)
export class ChangeCreditTypeHandler implements ICommandHandler<ChangeCreditType> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly catalog: Catalog,
    private readonly creditTypes: CreditTypes,
    private readonly references: CreditTypeReferences,
    private readonly subscribers: SubscriptionByPriceFinder,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<PriceChange, CreditType>({
      kind: 'update-credit-type',
      createCommand: (context, change) => new ChangeCreditType(context, change),
      propose: (context, change) => this.propose(context, change),
      resourceOf: ({ creditType: id }) => ({ type: 'credit_type', id }),
    });
  }

  async execute({ context, change }: ChangeCreditType): Promise<CreditType> {
    const { workspaceId, now: at } = context;
    const id = aggregateId(workspaceId, change.creditType);
    const repeated = await this.aggregates.findRepeated(creditTypeDecider, id, context);
    if (repeated) return repeated;
    await this.creditTypes.require(workspaceId, change.creditType);
    if (change.type === 'UpdateCreditType')
      await this.gate.requireApprovalIfNeeded(context, 'price.lower', () => this.propose(context, change));
    if (change.type === 'AddCreditRate') {
      const { metricId, groups } = change.rate;
      await this.requireChargeable(workspaceId, metricId, groups);
      await this.references.add(workspaceId, 'metric', metricId, change.creditType);
      await this.requireNoSubscriber(workspaceId, metricId);
    }
    if (change.type === 'AddCreditAllowance') {
      const { planId } = change.allowance;
      await this.catalog.requirePlan(workspaceId, planId);
      await this.references.add(workspaceId, 'plan', planId, change.creditType);
    }
    return (await this.aggregates.execute(creditTypeDecider, id, context, { ...change, at })).state;
  }

  /** Describes a lower price of the credits for its approval request. Undefined if no price is lower, or if the change has run already. */
  private async propose(context: CommandContext, change: PriceChange): Promise<ProposedAction | undefined> {
    const id = aggregateId(context.workspaceId, change.creditType);
    const command = { ...change, at: context.now };
    const preview = await this.aggregates.preview(creditTypeDecider, id, context, command);
    return preview && proposedCreditPriceLowering(preview.before!, preview.after, change);
  }

  /**
   * Throws if a live subscription has a price on the metric. Without this check, customers would pay for the metric's usage in money and in
   * credits.
   */
  private async requireNoSubscriber(workspaceId: string, metricId: string): Promise<void> {
    const { references } = await this.catalog.requireMetric(workspaceId, metricId);
    const paid = await this.subscribers.findSubscriptionWithPrice(workspaceId, Object.keys(references));
    if (!paid) return;
    const { subscriptionId, priceId } = paid;
    throw InvalidRequest.field(
      'metricId',
      `must name a metric that no live subscription pays for, but the subscription "${subscriptionId}" has the price "${priceId}" on "${metricId}"; remove the price from it first`,
    );
  }

  /**
   * Throws if the metric's units cannot be charged event by event. Also throws if a rate group names a property by which the metric does
   * not group.
   */
  private async requireChargeable(
    workspaceId: string,
    metricId: string,
    groups: readonly RateGroup[],
  ): Promise<void> {
    await this.catalog.requireMetric(workspaceId, metricId);
    const { aggregation } = await this.catalog.metricDefinition(workspaceId, metricId);
    if (!isChargeable(aggregation))
      throw InvalidRequest.field(
        'metricId',
        `must name a metric of type count or sum, but "${metricId}" is of type ${aggregation.type}: its quantity is not the sum of its events`,
      );
    const { groupBy = [] } = aggregation;
    groups.forEach(({ when }, index) => {
      const other = Object.keys(when).find((property) => !groupBy.includes(property));
      if (other !== undefined)
        throw InvalidRequest.field(
          `groups[${index}].when`,
          `must name properties by which the metric groups (${groupBy.join(', ') || 'it has none'}), which "${other}" is not`,
        );
    });
  }
}
