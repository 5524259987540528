import { Injectable } from '@nestjs/common';
import { Decimal, deriveId, moneyString, type DecimalString } from '#libs/core';
import { follow, type CommandContext } from '#libs/event-store';
import { PaymentGateways } from '#libs/payments';
import { Invoices } from '../invoices.js';
import { givingBackFrom } from './giving-back-from.js';

/** Refunds what an invoice gives back beyond what it charges, from the payments of earlier invoices. */
@Injectable()
export class PaymentRefunds {
  constructor(
    private readonly invoices: Invoices,
    private readonly gateways: PaymentGateways,
  ) {}

  /**
   * Starts the refunds of `excess`, in money: of the invoices that the invoice gives back of, then of those that these gave back of, and so on.
   * Answers what none of their payments can refund. What was started is recorded with each, so a repetition comes to the same.
   */
  async start(context: CommandContext, invoiceId: string, excess: DecimalString): Promise<DecimalString> {
    const { accountId, now: at } = context;
    const giving = await this.invoices.require(accountId, invoiceId);
    let rest = new Decimal(excess);
    const earlier = givingBackFrom(
      giving.lines,
      async (id) => (await this.invoices.require(accountId, id)).lines,
    );
    for await (const sourceId of earlier) {
      if (rest.isZero()) break;
      const { state } = await this.invoices.execute(follow(context, `refund payment of ${sourceId}`), {
        ...{ type: 'RefundPayment', invoiceId: sourceId, byInvoiceId: invoiceId, amount: rest.toFixed(), at },
      });
      const refund = state.refunds.find(({ byInvoiceId }) => byInvoiceId === invoiceId);
      rest = rest.minus(refund?.amount ?? 0);
    }
    return moneyString(rest, giving.currency);
  }

  /** Has the payment gateway refund what was started. Safe to repeat: it refunds it once. */
  async complete(context: CommandContext, invoiceId: string, byInvoiceId: string): Promise<void> {
    const { accountId, now: at } = context;
    const { refunds, attempts, currency } = await this.invoices.require(accountId, invoiceId);
    const refund = refunds.find((one) => one.byInvoiceId === byInvoiceId);
    if (refund?.status !== 'pending') return;
    const charge = attempts.find(({ status }) => status === 'succeeded');
    if (!charge)
      throw new Error(`Invoice ${invoiceId} has no charge that could be refunded for ${byInvoiceId}`);
    const gateway = await this.gateways.require(accountId);
    const key = deriveId('ref', invoiceId, byInvoiceId);
    await gateway.refund({ key, chargeKey: charge.attemptId, accountId, amount: refund.amount, currency });
    const command = { type: 'CompletePaymentRefund', at, invoiceId, byInvoiceId } as const;
    await this.invoices.execute(follow(context, `refunded ${byInvoiceId}`), command);
  }
}
