import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import { Invoices } from '#libs/contexts/invoicing';
import { InvoicePayments, type PaymentResult } from '../invoice-payments.js';

/** Completes a payment that was started, possibly by a process that crashed. Does not change a payment that is completed already. */
export class CompletePayment extends Command<PaymentResult> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly attemptId: string,
  ) {
    super();
  }
}

@CommandHandler(CompletePayment)
export class CompletePaymentHandler implements ICommandHandler<CompletePayment> {
  constructor(
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
  ) {}

  async execute({ context, invoiceId, attemptId }: CompletePayment): Promise<PaymentResult> {
    const invoice = await this.invoices.require(context.workspaceId, invoiceId);
    return this.payments.chargePendingAttempt(context, invoice, attemptId);
  }
}
