import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { Invoices, subscriptionIdsOf, type Invoice } from '#libs/contexts/invoicing';
import { isAmountRefusal } from '#libs/rating';
import { ChangeSubscription } from '#libs/contexts/subscriptions';

/**
 * Records on subscriptions which of their invoices are overdue. An invoice is overdue if it is open and its last finished charge failed, or
 * if it was written off and not paid. A charge that was refused because of its amount does not count, because no card was declined.
 */
@Injectable()
export class OverdueInvoiceRecorder {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Records on the invoice's subscriptions whether the invoice is overdue now. Several callers can run at the same time, in any order. Each
   * caller reads the invoice again after its write, so the last write matches the last state.
   */
  async record(context: CommandContext, invoiceId: string): Promise<void> {
    let recorded: boolean | undefined;
    for (let round = 0; ; round++) {
      const invoice = await this.invoices.require(context.workspaceId, invoiceId);
      const overdue = isOverdue(invoice);
      if (overdue === recorded) return;
      for (const subscriptionId of subscriptionIdsOf(invoice))
        await this.commands.execute(
          new ChangeSubscription(followUpContext(context, `record ${round}`), {
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

/** An invoice that was written off is still owed, so it is treated as overdue. */
function isOverdue({ status, attempts }: Invoice): boolean {
  if (status !== 'open') return status === 'uncollectible';
  // A charge that is in progress or waits for a confirmation has paid nothing yet.
  const finished = attempts.findLast(
    (attempt) =>
      attempt.status === 'succeeded' || (attempt.status === 'failed' && !isAmountRefusal(attempt.code)),
  );
  return finished?.status === 'failed';
}
