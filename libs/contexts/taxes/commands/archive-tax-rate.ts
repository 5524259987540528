import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { taxRateDecider, type TaxRateRecord } from '../tax-rate.js';

/** Archives a tax rate. An archived tax rate can no longer be assigned, but customers, prices and settings that already have it keep it. */
export class ArchiveTaxRate extends Command<TaxRateRecord> {
  constructor(
    readonly context: CommandContext,
    readonly taxRateId: string,
  ) {
    super();
  }
}

@CommandHandler(ArchiveTaxRate)
export class ArchiveTaxRateHandler implements ICommandHandler<ArchiveTaxRate> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, taxRateId }: ArchiveTaxRate): Promise<TaxRateRecord> {
    const id = aggregateId(context.workspaceId, taxRateId);
    const command = { type: 'ArchiveTaxRate', taxRateId } as const;
    return (await this.aggregates.execute(taxRateDecider, id, context, command)).state;
  }
}
