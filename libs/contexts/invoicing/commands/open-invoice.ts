import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider } from '../decider.js';
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
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly finalizer: InvoiceFinalizer,
  ) {}

  async execute({ context, invoiceId }: OpenInvoice): Promise<Invoice> {
    const id = aggregateId(context.workspaceId, invoiceId);
    const run = async (opening: InvoiceOpening | null) => {
      const command = { type: 'OpenInvoice', at: context.now, invoiceId, opening } as const;
      return (await this.aggregates.execute(invoiceDecider, id, context, command)).state;
    };
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    return invoice.status === 'draft' ? this.finalizer.finalize(context, invoice, run) : run(null);
  }
}
