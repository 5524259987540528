import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { TaxRates } from '#libs/contexts/taxes';
import { retryOnRevisionChange } from '../../references.js';
import { recordMetricReference } from '../metric-reference.js';
import { readPriceDetails, type PriceInput } from '../price-input.js';
import { checkMetricOfPrice, checkPrice } from '../price-rules.js';
import { initialState, priceDecider, requirePrice, type Price } from '../price.js';

/**
 * Creates a price. Throws NotFound if the metric does not exist. Throws InvalidRequest for fields that exclude each other, and for a metric
 * that does not suit the pricing model. Throws InvalidRequest for tax rates that {@link TaxRates.requireAssignable} refuses.
 */
export class CreatePrice extends Command<Price> {
  constructor(
    readonly context: CommandContext,
    readonly input: PriceInput,
  ) {
    super();
  }
}

@CommandHandler(CreatePrice)
export class CreatePriceHandler implements ICommandHandler<CreatePrice> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly taxRates: TaxRates,
  ) {}

  async execute({ context, input }: CreatePrice): Promise<Price> {
    const priceId = idFor(context, 'price');
    const id = aggregateId(context.workspaceId, priceId);
    const repeated = await this.aggregates.findRepeated(priceDecider, id, context);
    if (repeated?.price) return repeated.price;
    const details = readPriceDetails(input);
    checkPrice(details);
    await this.taxRates.requireAssignable(context.workspaceId, details.taxRateIds ?? [], 'taxRateIds');
    return retryOnRevisionChange(this.aggregates, priceDecider, id, async () => {
      const { revision, price } = (await this.aggregates.load(priceDecider, id)) ?? initialState;
      if (!price && details.metricId !== null) {
        const reference = { priceId, priceRevision: revision + 1 };
        checkMetricOfPrice(
          details,
          await recordMetricReference(this.aggregates, context, details.metricId, reference),
        );
      }
      const command = { type: 'CreatePrice', at: context.now, priceId, revision, details } as const;
      return requirePrice(priceId, (await this.aggregates.execute(priceDecider, id, context, command)).state);
    });
  }
}
