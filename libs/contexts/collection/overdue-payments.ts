import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import { Invoices, subscriptionsOf, type Invoice } from '#libs/contexts/invoicing';
import { ChangeSubscription } from '#libs/contexts/subscriptions';

/** Tells subscriptions which of their invoices are owed though a charge of them failed. */
@Injectable()
export class OverduePayments {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Brings the invoice's subscriptions up to what it is by now. Several may do so at once, in any order. Each looks again after it has
   * written, so the last to write has seen the last state.
   */
  async record(context: CommandContext, invoiceId: string): Promise<void> {
    let recorded: boolean | undefined;
    for (let round = 0; ; round++) {
      const invoice = await this.invoices.require(context.workspaceId, invoiceId);
      const overdue = isOverdue(invoice);
      if (overdue === recorded) return;
      for (const subscriptionId of subscriptionsOf(invoice))
        await this.commands.execute(
          new ChangeSubscription(follow(context, `record ${round}`), {
            type: 'RecordPaymentStatus',
            subscriptionId,
            invoiceId,
            overdue,
          }),
        );
      recorded = overdue;
    }
  }
}

/** Written off, an invoice is still owed. */
function isOverdue({ status, attempts }: Invoice): boolean {
  return status === 'uncollectible' || (status === 'open' && attempts.at(-1)?.status === 'failed');
}
