import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/event-store';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';

/** Voids an invoice that is not paid: it can never be paid any more. */
export class VoidInvoice extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly reason: string | null,
  ) {
    super();
  }
}

@CommandHandler(VoidInvoice)
export class VoidInvoiceHandler implements ICommandHandler<VoidInvoice> {
  constructor(private readonly invoices: Invoices) {}

  async execute({ context, invoiceId, reason }: VoidInvoice): Promise<Invoice> {
    return (await this.invoices.execute(context, { type: 'VoidInvoice', at: context.now, invoiceId, reason }))
      .state;
  }
}
