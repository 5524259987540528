import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InvalidRequest } from '#libs/core';
import type { CommandContext } from '#libs/event-store';
import { Subscriptions } from '#libs/subscriptions';
import { isGivenBack } from '../given-back.js';
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
    private readonly subscriptions: Subscriptions,
  ) {}

  async execute({ context, invoiceId, reason }: VoidInvoice): Promise<Invoice> {
    await this.requireNothingGivenBack(context.accountId, invoiceId);
    return (await this.invoices.execute(context, { type: 'VoidInvoice', at: context.now, invoiceId, reason }))
      .state;
  }

  private async requireNothingGivenBack(accountId: string, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.require(accountId, invoiceId);
    if (invoice.status === 'paid' || invoice.status === 'void') return;
    if (await isGivenBack(this.subscriptions, accountId, invoice))
      throw new InvalidRequest(
        'invoice_given_back',
        'A change of the subscription has given back a part of what the invoice charges, so it cannot be voided',
      );
  }
}
