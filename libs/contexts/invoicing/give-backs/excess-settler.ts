import { Injectable } from '@nestjs/common';
import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { PaymentGateways, refusalOf } from '#libs/contexts/payments';
import { invoiceDecider } from '../decider.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';
import { paymentRefundId, sourceInvoiceIds } from './give-back.js';
import { earlierInvoiceIds } from './earlier-invoice-ids.js';

/** The names of the steps. Stored command ids are derived from them, so they stay as they are. */
const STEPS = { ReduceByGiveBack: 'ApplyGiveBack', RefundPayment: 'RefundPayment' } as const;

/** Settles the excess of an invoice. The excess reduces earlier invoices, is refunded, or goes to the customer's balance. */
@Injectable()
export class ExcessSettler {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly gateways: PaymentGateways,
  ) {}

  /**
   * Reduces the invoices whose lines the invoice gives back, in the order of its lines. Each of them is reduced by at most the amount that
   * is given back of it. If the excess goes to a refund, the rest is refunded from the payments of these invoices. The invoices that these
   * give back come next, and so on. Returns the remaining amount for the balance, which is never below zero. Each earlier invoice records
   * its part, and recorded parts are counted first. So a repetition has the same result, even if an invoice was opened or paid meanwhile.
   * Throws InvalidRequest (`payment_in_progress`) while one of the invoices is being paid. The caller must try again later.
   */
  async settle(context: CommandContext, invoiceId: string, excess: DecimalString): Promise<DecimalString> {
    const giving = await this.invoices.require(context.workspaceId, invoiceId);
    const earlier = await this.invoicesToSettleOn(context.workspaceId, giving);
    let rest = new Decimal(excess).minus(sumOf(earlier.map((one) => excessSettledOn(one, invoiceId))));
    const bear = async (type: keyof typeof STEPS, before: Invoice) => {
      if (rest.lte(0)) return before;
      const { invoiceId: sourceId } = before;
      const amount = rest.toFixed();
      const following = followUpContext(context, `${STEPS[type]} of ${sourceId}`);
      const id = aggregateId(context.workspaceId, sourceId);
      const command = { type, invoiceId: sourceId, byInvoiceId: invoiceId, amount, at: context.now };
      const { state } = await this.aggregates.execute(invoiceDecider, id, following, command);
      rest = rest.minus(excessSettledOn(state, invoiceId)).plus(excessSettledOn(before, invoiceId));
      return state;
    };
    const sources = sourceInvoiceIds(giving.lines);
    const paid: Invoice[] = [];
    for (const one of earlier)
      paid.push(sources.includes(one.invoiceId) ? await bear('ReduceByGiveBack', one) : one);
    if (giving.excessTo === 'refund') for (const one of paid) await bear('RefundPayment', one);
    return moneyString(Decimal.max(rest, 0), giving.currency);
  }

  /**
   * Sends a started refund to the payment gateway. The call is safe to repeat, because the gateway makes the refund only once. If the
   * gateway refuses the refund for good, the invoice records why.
   */
  async completeRefund(context: CommandContext, invoiceId: string, laterInvoiceId: string): Promise<void> {
    const { workspaceId, now: at } = context;
    const { refunds, attempts, currency } = await this.invoices.require(workspaceId, invoiceId);
    const refund = refunds.find((one) => one.byInvoiceId === laterInvoiceId);
    if (refund?.status !== 'pending') return;
    const charge = attempts.find(({ status }) => status === 'succeeded');
    if (!charge)
      throw new Error(`Invoice ${invoiceId} has no charge that could be refunded for ${laterInvoiceId}`);
    const gateway = await this.gateways.require(workspaceId);
    const key = paymentRefundId(invoiceId, laterInvoiceId);
    const request = { key, chargeKey: charge.attemptId, workspaceId, amount: refund.amount, currency };
    const refusal = await gateway.refund(request).then(() => null, refusalOf);
    const command =
      refusal === null
        ? ({ type: 'CompletePaymentRefund', at, invoiceId, byInvoiceId: laterInvoiceId } as const)
        : ({
            type: 'RefusePaymentRefund',
            at,
            invoiceId,
            byInvoiceId: laterInvoiceId,
            message: refusal.message,
          } as const);
    const following = followUpContext(context, `refunded ${laterInvoiceId}`);
    const id = aggregateId(workspaceId, invoiceId);
    await this.aggregates.execute(invoiceDecider, id, following, command);
  }

  /**
   * The invoices that can bear the excess, nearest first. They are the given-back invoices. If the excess is refunded, the invoices that
   * those give back follow.
   */
  private async invoicesToSettleOn(workspaceId: string, { lines, excessTo }: Invoice): Promise<Invoice[]> {
    const linesOf = async (invoiceId: string) =>
      excessTo === 'refund' ? (await this.invoices.require(workspaceId, invoiceId)).lines : [];
    const earlier: Invoice[] = [];
    for await (const invoiceId of earlierInvoiceIds(lines, linesOf))
      earlier.push(await this.invoices.require(workspaceId, invoiceId));
    return earlier;
  }
}

/** The part of an excess that an earlier invoice has already recorded as a reduction or a refund. */
function excessSettledOn({ reductions, refunds }: Invoice, laterInvoiceId: string): Decimal {
  return sumOf(
    [...reductions, ...refunds]
      .filter((one) => one.byInvoiceId === laterInvoiceId)
      .map(({ amount }) => amount),
  );
}
