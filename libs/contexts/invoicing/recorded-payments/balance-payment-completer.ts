import { Injectable } from '@nestjs/common';
import { Balances } from '#libs/contexts/balances';
import { Conflict, Decimal } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../decider.js';
import { findRecordedPayment } from '../decisions/recorded-payment.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';

/**
 * Completes payments of open invoices from the customer's balance. First the invoice records the start of the payment, so that nothing else
 * can pay the invoice meanwhile. The customer's balance then pays out the amount. Finally the invoice records the result of the payment.
 * Each step of a payment can be repeated, and several processes can run the steps at once. If the invoice records that the payment failed
 * or was reversed, the balance gets the amount back. An invoice that is carried to the next one is paid in the same way, but the balance can
 * go below zero.
 */
@Injectable()
export class BalancePaymentCompleter {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly balances: Balances,
  ) {}

  /**
   * Completes a payment that was started, possibly by a process that crashed. Returns to the customer's balance the amount that a failed or
   * reversed payment took. Returns the invoice. Does nothing for a payment that is unknown, or complete.
   */
  async complete(context: CommandContext, invoiceId: string, paymentId: string): Promise<Invoice> {
    const found = await this.invoices.require(context.workspaceId, invoiceId);
    const isPending = findRecordedPayment(paymentId, found)?.status === 'pending';
    const invoice = isPending ? await this.askBalance(context, found, paymentId) : found;
    const status = findRecordedPayment(paymentId, invoice)?.status;
    if (status === 'failed' || status === 'reversed')
      await this.balances.returnWithdrawal(context, invoice, paymentId);
    return invoice;
  }

  private async askBalance(context: CommandContext, invoice: Invoice, paymentId: string): Promise<Invoice> {
    const { invoiceId } = invoice;
    const succeeded = await this.withdraw(context, invoice, paymentId);
    const id = aggregateId(context.workspaceId, invoiceId);
    const following = followUpContext(context, `complete ${paymentId}`);
    const { state } = await this.aggregates.execute(invoiceDecider, id, following, {
      type: 'CompleteBalancePayment',
      at: context.now,
      invoiceId,
      paymentId,
      succeeded,
    });
    return state;
  }

  /** Takes the amount from the customer's balance. Returns false if the balance is too low. */
  private async withdraw(context: CommandContext, invoice: Invoice, paymentId: string): Promise<boolean> {
    const { amount, carried } = findRecordedPayment(paymentId, invoice)!;
    const payment = { paymentId, amount, ...(carried ? { carried } : {}) };
    try {
      return new Decimal(await this.balances.withdrawForPayment(context, invoice, payment)).eq(amount);
    } catch (error) {
      if (error instanceof Conflict && error.code === 'balance_too_low') return false;
      throw error;
    }
  }
}
