import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';

/** Writes off an open invoice. Its payment is not expected any more, but it can still be paid. */
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
  constructor(private readonly invoices: Invoices) {}

  async execute({ context, invoiceId }: MarkUncollectible): Promise<Invoice> {
    const command = { type: 'MarkUncollectible', at: context.now, invoiceId } as const;
    return (await this.invoices.execute(context, command)).state;
  }
}
