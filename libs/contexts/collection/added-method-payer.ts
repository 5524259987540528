import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { amountToPay, Invoices, pendingAttempt, type Invoice } from '#libs/contexts/invoicing';
import { knownRefusalOfAmount } from '#libs/contexts/payments';
import { InvalidRequest, type DecimalString } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CompletePayment } from './commands/complete-payment.js';
import { PayInvoice } from './commands/pay-invoice.js';

/**
 * The codes of the refusals that leave the invoice as its page shows it: paid or void meanwhile, being charged or charged by another caller,
 * with another amount due, or without the payment method or the gateway.
 */
const REFUSALS = [
  'invoice_already_paid',
  'invoice_void',
  'payment_in_progress',
  'charged_meanwhile',
  'amount_changed',
  'no_payment_method',
  'no_payment_gateway',
];

/** Pays invoices with a payment method that the customer added in order to pay them. */
@Injectable()
export class AddedMethodPayer {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly clock: WorkspaceClock,
  ) {}

  /**
   * Charges an invoice with the added payment method. Charges nothing if the method was tried on the invoice already, if another method is
   * being charged, or if the invoice cannot be paid with a card. `shownAmount` is the amount that the customer saw; if another one is due,
   * nothing is charged. Several callers can pay the same invoice at the same time: one charges, and the others wait for the outcome. Throws
   * StateConflict (`payment_in_progress`) while a payment from the balance is in progress, since that one can fail. Throws Unavailable if
   * the outcome of the charge is unknown; a repetition finds it out.
   */
  async pay(
    context: CommandContext,
    invoiceId: string,
    paymentMethodId: string,
    shownAmount?: DecimalString,
  ): Promise<void> {
    const invoice = await this.invoices.find(context.workspaceId, invoiceId);
    if (!invoice) return;
    if (!isTried(invoice, paymentMethodId)) {
      const isSandbox = (await this.clock.readMode(context.workspaceId)) === 'sandbox';
      if (!canBeCharged(invoice, isSandbox)) return;
      const newestAttempt = invoice.attempts.at(-1)?.attemptId ?? null;
      const shown = shownAmount === undefined ? {} : { shownAmount };
      const charge = new PayInvoice(context, invoiceId, { newestAttempt, paymentMethodId, ...shown });
      const refusal = await refusalOf(this.commands.execute(charge));
      if (refusal === null) return;
      const after = await this.invoices.require(context.workspaceId, invoiceId);
      if (refusal.code === 'payment_in_progress' && !pendingAttempt(after)) throw refusal;
    }
    await this.complete(context, invoiceId, paymentMethodId);
  }

  /** Waits for the outcome of a charge of the payment method that another caller began. */
  private async complete(context: CommandContext, invoiceId: string, paymentMethodId: string): Promise<void> {
    const { attempts } = await this.invoices.require(context.workspaceId, invoiceId);
    const attempt = attempts.find(({ method }) => method.paymentMethodId === paymentMethodId);
    if (attempt?.status !== 'pending') return;
    await this.commands.execute(new CompletePayment(context, invoiceId, attempt.attemptId));
  }
}

function isTried({ attempts }: Invoice, paymentMethodId: string): boolean {
  return attempts.some(({ method }) => method.paymentMethodId === paymentMethodId);
}

/** An invoice can be charged if it is owed, unless no card can pay its amount. */
function canBeCharged(invoice: Invoice, isSandbox: boolean): boolean {
  const { status, currency, attempts } = invoice;
  if (status !== 'open' && status !== 'uncollectible') return false;
  return knownRefusalOfAmount(amountToPay(invoice), currency, isSandbox, attempts.at(-1)) === undefined;
}

/** The refusal of a charge, if it is one of those that callers need not know. Throws every other error. */
async function refusalOf(charge: Promise<unknown>): Promise<InvalidRequest | null> {
  try {
    await charge;
    return null;
  } catch (error) {
    if (error instanceof InvalidRequest && REFUSALS.includes(error.code)) return error;
    throw error;
  }
}
