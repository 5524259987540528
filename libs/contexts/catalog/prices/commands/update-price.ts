import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { TaxRates } from '#libs/contexts/taxes';
import { retryOnRevisionChange } from '../../references.js';
import type { PriceDetails } from '../events.js';
import { recordMetricReference } from '../metric-reference.js';
import { readPriceChanges, type PriceInput } from '../price-input.js';
import { checkMetricOfPrice, configDependsOnMetric } from '../price-rules.js';
import { currentPriceVersion, priceDecider, requirePrice, type Price } from '../price.js';

/** Creates a new version of a price with the given fields. Does nothing if the fields are the same as before. */
export class UpdatePrice extends Command<Price> {
  constructor(
    readonly context: CommandContext,
    readonly priceId: string,
    readonly input: Partial<PriceInput>,
  ) {
    super();
  }
}

@CommandHandler(UpdatePrice)
export class UpdatePriceHandler implements ICommandHandler<UpdatePrice> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly taxRates: TaxRates,
  ) {}

  async execute({ context, priceId, input }: UpdatePrice): Promise<Price> {
    const changes = readPriceChanges(input);
    const id = aggregateId(context.workspaceId, priceId);
    if (changes.taxRateIds) await this.requireTaxRates(context.workspaceId, priceId, changes.taxRateIds);
    return retryOnRevisionChange(this.aggregates, priceDecider, id, async () => {
      const revision = await this.reference(context, priceId, changes);
      const command = { type: 'UpdatePrice', at: context.now, priceId, revision, changes } as const;
      return requirePrice(priceId, (await this.aggregates.execute(priceDecider, id, context, command)).state);
    });
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
