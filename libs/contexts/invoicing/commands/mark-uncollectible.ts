import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider } from '../decider.js';
import type { Invoice } from '../invoice.js';

/** Writes off an open invoice. The payment of an uncollectible invoice is not expected any more, but the invoice can still be paid. */
export class MarkUncollectible extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
  ) {
    super();
  }
}

@CommandHandler(MarkUncollectible)
export class MarkUncollectibleHandler implements ICommandHandler<MarkUncollectible> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, invoiceId }: MarkUncollectible): Promise<Invoice> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'MarkUncollectible', at: context.now, invoiceId } as const;
    return (await this.aggregates.execute(invoiceDecider, id, context, command)).state;
  }
}
