import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { ChangeSubscription } from '#libs/contexts/subscriptions';
import { subscriptionIdsOf } from './invoice-parts.js';
import { Invoices } from './invoices.js';

/**
 * Notifies subscriptions when their invoices are voided, because a subscription must not treat the charges and give-backs of a void invoice
 * as billed.
 */
@Injectable()
export class VoidedInvoiceNotifier {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Notifies each subscription on an invoice that the invoice was voided. The call is safe to repeat. Throws NotFound if the invoice does
   * not exist.
   */
  async notifySubscriptions(context: CommandContext, invoiceId: string): Promise<void> {
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    for (const subscriptionId of subscriptionIdsOf(invoice))
      await this.commands.execute(
        new ChangeSubscription(followUpContext(context, `note void of ${invoiceId} on ${subscriptionId}`), {
          type: 'RecordInvoiceVoid',
          subscriptionId,
          invoiceId,
        }),
      );
  }
}
