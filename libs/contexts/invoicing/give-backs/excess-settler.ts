import { Injectable } from '@nestjs/common';
import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../decider.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';
import { paymentRefundId, paymentRefundLeft, sourceInvoiceIds } from './give-back.js';
import { RefundSender } from '../refund-sender.js';
import { traceSourceInvoiceIds } from './trace-source-invoice-ids.js';

/** The name of each command in the command id that is derived for it. The names never change, because the derived ids are stored. */
const STEPS = { ReduceByGiveBack: 'ApplyGiveBack', RefundPayment: 'RefundPayment' } as const;

/**
 * Settles the excess of an invoice. The excess reduces the amounts due of earlier invoices, is refunded, or goes to the customer's balance.
 */
@Injectable()
export class ExcessSettler {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly refunds: RefundSender,
  ) {}

  /**
   * Reduces the amounts due of the earlier invoices whose charges the invoice gives back, in the order of its lines. The reduction of an
   * earlier invoice is at most the amount of that invoice that is given back. If `excessTo` is `refund`, the rest of the excess is refunded
   * from the payments of the earlier invoices. If those payments are too small, the payments of the invoices whose charges the earlier
   * invoices gave back are refunded next. Returns the amount that remains for the customer's balance. The amount is never below zero. Each
   * earlier invoice records its part of the excess, and recorded parts are subtracted first. A repeated call therefore has the same result,
   * even if an invoice was opened or paid meanwhile. Throws StateConflict (`payment_in_progress`) while one of the invoices is being paid.
   * If `payment_in_progress` is thrown, the caller must try again later.
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
   * gateway refuses the refund permanently, the reason is recorded on the invoice.
   */
  async sendStartedRefund(context: CommandContext, invoiceId: string, laterInvoiceId: string): Promise<void> {
    const { workspaceId, now: at } = context;
    const { refunds } = await this.invoices.require(workspaceId, invoiceId);
    if (refunds.find((one) => one.byInvoiceId === laterInvoiceId)?.status !== 'pending') return;
    const refusal = await this.refunds.send(context, invoiceId, {
      key: paymentRefundId(invoiceId, laterInvoiceId),
      left: (invoice) => {
        const refund = invoice.refunds.find((one) => one.byInvoiceId === laterInvoiceId)!;
        return { amount: paymentRefundLeft(refund), isRest: refund.covered !== undefined };
      },
    });
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
   * The earlier invoices on which the excess can be settled, the most direct ones first. The most direct ones are the invoices whose
   * charges are given back. If the excess is refunded, the invoices whose charges these earlier invoices gave back come next.
   */
  private async invoicesToSettleOn(workspaceId: string, { lines, excessTo }: Invoice): Promise<Invoice[]> {
    const linesOf = async (invoiceId: string) =>
      excessTo === 'refund' ? (await this.invoices.require(workspaceId, invoiceId)).lines : [];
    const earlier: Invoice[] = [];
    for await (const invoiceId of traceSourceInvoiceIds(lines, linesOf))
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
