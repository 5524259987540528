import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/event-store';
import { GivenBackLines, requireNothingGivenBack } from '../given-back.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';

/**
 * Voids an invoice that is not paid: it can never be paid any more. InvalidRequest (`invoice_given_back`) if something that it charges
 * was given back already, which a void would give back once more.
 */
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
  constructor(
    private readonly invoices: Invoices,
    private readonly givenBack: GivenBackLines,
  ) {}

  async execute({ context, invoiceId, reason }: VoidInvoice): Promise<Invoice> {
    await this.requireNotGivenBack(context.accountId, invoiceId);
    return (await this.invoices.execute(context, { type: 'VoidInvoice', at: context.now, invoiceId, reason }))
      .state;
  }

  private async requireNotGivenBack(accountId: string, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.require(accountId, invoiceId);
    if (invoice.status === 'paid' || invoice.status === 'void') return;
    requireNothingGivenBack(await this.givenBack.of(accountId, invoice));
  }
}
