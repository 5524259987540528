import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider } from '#libs/contexts/invoicing';
import { PaymentGateways } from '#libs/contexts/payments';
import { InvoicePayments, type PaymentResult } from '../invoice-payments.js';

/**
 * Completes a payment that required action, after the customer has confirmed it. Throws StateConflict (`no_action_required`) if the newest
 * payment attempt does not wait for a confirmation, or if the amount due has changed since that attempt. Throws InvalidRequest if the
 * invoice is paid or void, or has a payment in progress. Throws StateConflict (`no_payment_gateway`) if the workspace has no gateway.
 */
export class ConfirmPayment extends Command<PaymentResult> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
  ) {
    super();
  }
}

@CommandHandler(ConfirmPayment)
export class ConfirmPaymentHandler implements ICommandHandler<ConfirmPayment> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly gateways: PaymentGateways,
    private readonly payments: InvoicePayments,
  ) {}

  async execute({ context, invoiceId }: ConfirmPayment): Promise<PaymentResult> {
    // Without a gateway the confirmed payment could not be completed, and would block the invoice.
    await this.gateways.require(context.workspaceId);
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'ConfirmPayment', at: context.now, invoiceId } as const;
    const { state } = await this.aggregates.execute(invoiceDecider, id, context, command);
    return this.payments.chargePendingAttempt(context, state, state.attempts.at(-1)!.attemptId);
  }
}
