import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Invoices, type Invoice } from '#libs/contexts/invoicing';
import { InvalidRequest } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { isAmountRefusal } from '#libs/rating';
import { PayInvoice } from './commands/pay-invoice.js';
import { InvoicePayments } from './invoice-payments.js';

/** Pays invoices with a payment method that the customer added in order to pay them. */
@Injectable()
export class AddedMethodPayer {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
  ) {}

  /**
   * Charges an invoice with the added payment method. Does nothing if the method was tried on the invoice already, if a charge is in
   * progress, or if the invoice cannot be paid with a card. Several callers can pay the same invoice at the same time: one of them charges.
   * Throws InvalidRequest (`payment_in_progress`) while a payment from the balance is in progress, since that one can fail.
   */
  async pay(context: CommandContext, invoiceId: string, paymentMethodId: string): Promise<void> {
    const { workspaceId } = context;
    const invoice = await this.invoices.find(workspaceId, invoiceId);
    if (!invoice || !isToBeCharged(invoice, paymentMethodId)) return;
    const newestAttempt = invoice.attempts.at(-1)?.attemptId ?? null;
    const charge = this.commands.execute(
      new PayInvoice(context, invoiceId, { newestAttempt, paymentMethodId }),
    );
    await this.payments
      .awaitChargeUnlessInProgress(workspaceId, invoiceId, charge)
      .catch((error: unknown) => {
        if (!(error instanceof InvalidRequest) || error.code === 'payment_in_progress') throw error;
      });
  }
}

function isToBeCharged({ status, attempts }: Invoice, paymentMethodId: string): boolean {
  const isOwed = status === 'open' || status === 'uncollectible';
  // Another card cannot pay an amount that cannot be charged.
  if (!isOwed || isAmountRefusal(attempts.at(-1)?.code ?? null)) return false;
  return !attempts.some(({ method }) => method.paymentMethodId === paymentMethodId);
}
