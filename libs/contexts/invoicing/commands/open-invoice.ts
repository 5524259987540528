import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { InvoiceOpening } from '../events.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';
import { InvoiceFinalizer } from '../invoice-finalizer.js';

/** Approves a draft. The draft gets its number and its due date. */
export class OpenInvoice extends Command<Invoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
  ) {
    super();
  }
}

@CommandHandler(OpenInvoice)
export class OpenInvoiceHandler implements ICommandHandler<OpenInvoice> {
  constructor(
    private readonly invoices: Invoices,
    private readonly finalizer: InvoiceFinalizer,
  ) {}

  async execute({ context, invoiceId }: OpenInvoice): Promise<Invoice> {
    const run = async (opening: InvoiceOpening | null) =>
      (await this.invoices.execute(context, { type: 'OpenInvoice', at: context.now, invoiceId, opening }))
        .state;
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    return invoice.status === 'draft' ? this.finalizer.finalize(context, invoice, run) : run(null);
  }
}
