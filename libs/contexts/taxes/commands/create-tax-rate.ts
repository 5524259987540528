import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import type { TaxRateDetails } from '../events.js';
import { taxRateDecider, type TaxRateRecord } from '../tax-rate.js';

/**
 * Creates a tax rate. A new tax rate applies to nothing until it is assigned to a customer or a price, is named on a line of a manual
 * invoice, or becomes a default rate.
 */
export class CreateTaxRate extends Command<TaxRateRecord> {
  constructor(
    readonly context: CommandContext,
    readonly details: TaxRateDetails,
  ) {
    super();
  }
}

@CommandHandler(CreateTaxRate)
export class CreateTaxRateHandler implements ICommandHandler<CreateTaxRate> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, details }: CreateTaxRate): Promise<TaxRateRecord> {
    const taxRateId = idFor(context, 'tax');
    const id = aggregateId(context.workspaceId, taxRateId);
    const command = { type: 'CreateTaxRate', at: context.now, taxRateId, details } as const;
    return (await this.aggregates.execute(taxRateDecider, id, context, command)).state;
  }
}
