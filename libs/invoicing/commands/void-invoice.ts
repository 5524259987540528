import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InvalidRequest } from '#libs/core';
import type { CommandContext } from '#libs/event-store';
import { Subscriptions } from '#libs/subscriptions';
import { isGivenBack } from '../given-back.js';
import type { Invoice } from '../invoice.js';
import { partsOf } from '../invoice-parts.js';
import { Invoices } from '../invoices.js';
import { LateCredits } from '../late-credits.js';

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
    private readonly late: LateCredits,
  ) {}

  async execute({ context, invoiceId, reason }: VoidInvoice): Promise<Invoice> {
    await this.requireNothingGivenBack(context.accountId, invoiceId);
    return (await this.invoices.execute(context, { type: 'VoidInvoice', at: context.now, invoiceId, reason }))
      .state;
  }

  private async requireNothingGivenBack(accountId: string, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.require(accountId, invoiceId);
    if (invoice.status === 'paid' || invoice.status === 'void') return;
    for (const part of partsOf(invoice)) await this.requireNotGivenBack(accountId, part);
  }

  private async requireNotGivenBack(accountId: string, part: Invoice): Promise<void> {
    const givenBack =
      (await isGivenBack(this.subscriptions, accountId, part)) ||
      (await this.late.linesOf(accountId, part)).size > 0;
    if (givenBack)
      throw new InvalidRequest(
        'invoice_given_back',
        'A later invoice has given back a part of what the invoice charges (after a change of the subscription, or for usage that came late), so it cannot be voided',
      );
  }
}
