import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import { NotFound } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { dataExportsDecider } from '../data-exports.js';
import type { ExportFormat } from '../events.js';

/** Records that a user or an API key exports the data of a customer. The command runs before any data of the customer is read. */
export class RecordDataExport extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly customerId: string,
    readonly format: ExportFormat,
  ) {
    super();
  }
}

@CommandHandler(RecordDataExport)
export class RecordDataExportHandler implements ICommandHandler<RecordDataExport> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly customers: Customers,
  ) {}

  /** Throws NotFound for a customer that never was in the workspace. A deleted or erased customer can be exported. */
  async execute({ context, customerId, format }: RecordDataExport): Promise<void> {
    const { workspaceId, now: at } = context;
    if (!(await this.customers.find(workspaceId, customerId))) throw NotFound.of('customer', customerId);
    const command = { type: 'RecordDataExport', customerId, at, format } as const;
    await this.aggregates.execute(dataExportsDecider, aggregateId(workspaceId, customerId), context, command);
  }
}
