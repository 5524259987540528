import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { InvalidRequest } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { TaxRates } from '#libs/contexts/taxes';
import { billingIntervalOf } from '#libs/rating';
import { doesCommitmentIntervalFit } from '../../plans/minimum-commitment.js';
import { planDecider, versionsOffering } from '../../plans/plan.js';
import { retryOnRevisionChange } from '../../references.js';
import type { PriceDetails } from '../events.js';
import { recordMetricReference } from '../metric-reference.js';
import { proposedPriceLowering, type HeldPriceChange } from '../price-lowering.js';
import { checkMetricOfPrice, configDependsOnMetric } from '../price-rules.js';
import { currentPriceVersion, priceDecider, requirePrice, type Price } from '../price.js';

/**
 * Creates a new version of a price with the given fields. Does nothing if the fields are the same as before. Throws InvalidRequest if the
 * new cadence would make the billing interval of a plan longer than the interval of its minimum commitment. Throws ActionHeld if the change
 * can lower the price and needs approval.
 */
export class UpdatePrice extends Command<Price> {
  constructor(
    readonly context: CommandContext,
    readonly priceId: string,
    readonly changes: Partial<PriceDetails>,
  ) {
    super();
  }
}

@CommandHandler(UpdatePrice)
export class UpdatePriceHandler implements ICommandHandler<UpdatePrice> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly taxRates: TaxRates,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldPriceChange, Price>({
      kind: 'update-price',
      createCommand: (context, { priceId, changes }) => new UpdatePrice(context, priceId, changes),
      propose: (context, data) => this.propose(context, data),
      resourceOf: ({ priceId: id }) => ({ type: 'price', id }),
    });
  }

  async execute({ context, priceId, changes }: UpdatePrice): Promise<Price> {
    const id = aggregateId(context.workspaceId, priceId);
    if (changes.taxRateIds) await this.requireTaxRates(context.workspaceId, priceId, changes.taxRateIds);
    if (changes.cadence) await this.requireCommitmentsToFit(context.workspaceId, priceId, changes.cadence);
    await this.gate.requireApprovalIfNeeded(context, 'price.lower', () =>
      this.propose(context, { priceId, changes }),
    );
    return retryOnRevisionChange(this.aggregates, priceDecider, id, async () => {
      const revision = await this.reference(context, priceId, changes);
      const command = { type: 'UpdatePrice', at: context.now, priceId, revision, changes } as const;
      return requirePrice(priceId, (await this.aggregates.execute(priceDecider, id, context, command)).state);
    });
  }

  /** Describes the change for its approval request. Undefined if it lowers nothing, or has run already. */
  private async propose(context: CommandContext, data: HeldPriceChange): Promise<ProposedAction | undefined> {
    const id = aggregateId(context.workspaceId, data.priceId);
    const command = { type: 'UpdatePrice', at: context.now, ...data } as const;
    const preview = await this.aggregates.preview(priceDecider, id, context, command);
    return preview && proposedPriceLowering(preview.before!.price!, preview.after.price!, data);
  }

  /**
   * Throws InvalidRequest if the published version or the draft of a plan has a commitment interval that the new cadence does not allow.
   */
  private async requireCommitmentsToFit(
    workspaceId: string,
    priceId: string,
    cadence: PriceDetails['cadence'],
  ): Promise<void> {
    const load = (id: string) => this.aggregates.load(priceDecider, aggregateId(workspaceId, id));
    const state = await load(priceId);
    if (currentPriceVersion(requirePrice(priceId, state)).cadence === cadence) return;
    for (const planId of Object.keys(state!.references)) {
      const plan = await this.aggregates.load(planDecider, aggregateId(workspaceId, planId));
      for (const { name, prices, minimumCommitment } of versionsOffering(plan, priceId)) {
        const others = prices.filter((other) => other !== priceId);
        const versions = await Promise.all(
          others.map(async (other) => currentPriceVersion(requirePrice(other, await load(other)))),
        );
        if (!doesCommitmentIntervalFit(minimumCommitment, billingIntervalOf([...versions, { cadence }])))
          throw InvalidRequest.field(
            'cadence',
            `would make the billing interval of the plan "${name}" (${planId}) longer than the interval of its minimum commitment`,
          );
      }
    }
  }

  /** Throws if one of the tax rates cannot be assigned to the price. Tax rates that the price already has can stay. */
  private async requireTaxRates(workspaceId: string, priceId: string, taxRateIds: string[]): Promise<void> {
    const state = await this.aggregates.load(priceDecider, aggregateId(workspaceId, priceId));
    const { taxRateIds: present } = currentPriceVersion(requirePrice(priceId, state));
    await this.taxRates.requireAssignable(workspaceId, taxRateIds, 'taxRateIds', present ?? []);
  }

  /**
   * If the change affects the metric, writes a reference on the metric's stream, and checks that the price can charge for the metric.
   * Returns the revision that the price's stream must have before the change.
   */
  private async reference(
    context: CommandContext,
    priceId: string,
    changes: Partial<PriceDetails>,
  ): Promise<number | undefined> {
    if (changes.metricId === undefined && !(changes.config && configDependsOnMetric(changes.config)))
      return undefined;
    const state = await this.aggregates.load(priceDecider, aggregateId(context.workspaceId, priceId));
    const current = currentPriceVersion(requirePrice(priceId, state));
    const { metricId = current.metricId, config = current.config } = changes;
    if (metricId === null) return undefined;
    const revision = state!.revision;
    const reference = { priceId, priceRevision: revision + 1 };
    checkMetricOfPrice(
      { config },
      await recordMetricReference(this.aggregates, context, metricId, reference),
    );
    return revision;
  }
}
