import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, aggregateId, type CommandContext } from '#libs/event-store';
import { untilNotOvertaken } from '../../references.js';
import { referenceMetric } from '../metric-reference.js';
import { priceChanges, type PriceInput } from '../price-input.js';
import { priceDecider, requirePrice, type Price } from '../price.js';

/** Makes a new version of a price with the fields that are given; nothing if they make no difference. */
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
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, priceId, input }: UpdatePrice): Promise<Price> {
    const changes = priceChanges(input);
    const id = aggregateId(context.accountId, priceId);
    return untilNotOvertaken(async () => {
      const revision = await this.reference(context, priceId, changes.metricId);
      const command = { type: 'UpdatePrice', at: context.now, priceId, revision, changes } as const;
      return requirePrice(priceId, (await this.aggregates.execute(priceDecider, id, context, command)).state);
    });
  }

  /** Leaves a reference to the metric that the change names, if it names one; the revision that it is good for. */
  private async reference(
    context: CommandContext,
    priceId: string,
    metricId: string | null | undefined,
  ): Promise<number | undefined> {
    if (metricId === undefined || metricId === null) return undefined;
    const state = await this.aggregates.load(priceDecider, aggregateId(context.accountId, priceId));
    requirePrice(priceId, state);
    const revision = state!.revision;
    await referenceMetric(this.aggregates, context, metricId, { priceId, priceRevision: revision + 1 });
    return revision;
  }
}
