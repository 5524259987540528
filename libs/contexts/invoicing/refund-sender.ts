import { Injectable } from '@nestjs/common';
import { PaymentGateways, requireRefundRefusal } from '#libs/contexts/payments';
import { moneyString, type Conflict, type Decimal } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from './decider.js';
import type { Invoice } from './invoice.js';
import { Invoices } from './invoices.js';

/** A refund to send. `key` is its idempotency key. */
export interface RefundToSend {
  readonly key: string;
  /** The part of the refund that is not made yet, and whether something at the payment processor has given back another part. */
  readonly left: (invoice: Invoice) => { readonly amount: Decimal; readonly isRest: boolean };
}

/** Sends refunds to the payment gateway. */
@Injectable()
export class RefundSender {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly gateways: PaymentGateways,
  ) {}

  /**
   * Sends the part of a refund that is not made yet. The call is safe to repeat, because the gateway makes the refund only once. Returns
   * null if the gateway accepted the refund or nothing is left of it, and otherwise why the gateway refused it for good. If the gateway
   * refuses, a refund at the payment processor may have come first. Such refunds are then recorded on the invoice. They can take the place
   * of this refund or of a part of it, and only the rest is sent.
   */
  async send(
    context: CommandContext,
    invoiceId: string,
    { key, left }: RefundToSend,
  ): Promise<Conflict | null> {
    const { workspaceId } = context;
    const gateway = await this.gateways.requireForStartedRefund(workspaceId);
    let invoice = await this.invoices.require(workspaceId, invoiceId);
    for (;;) {
      const { amount, isRest } = left(invoice);
      if (amount.isZero()) return null;
      const { attempts, currency } = invoice;
      const charge = attempts.find(({ status }) => status === 'succeeded');
      if (!charge) throw new Error(`Invoice ${invoiceId} has no charge that ${key} could refund`);
      const { attemptId: chargeKey } = charge;
      const refusal = await gateway
        .refund({
          key,
          chargeKey,
          workspaceId,
          amount: moneyString(amount, currency),
          currency,
          ...(isRest ? { isRest } : {}),
        })
        .then(() => null, requireRefundRefusal);
      if (refusal === null) return null;
      invoice = await this.recordForeignRefunds(context, invoice, chargeKey);
      if (left(invoice).amount.eq(amount)) return refusal;
    }
  }

  private async recordForeignRefunds(
    context: CommandContext,
    invoice: Invoice,
    attemptId: string,
  ): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const gateway = await this.gateways.requireForStartedRefund(workspaceId);
    const refunds = await gateway.refundsMadeElsewhere(attemptId);
    if (refunds.length === 0) return invoice;
    const { invoiceId } = invoice;
    const command = { type: 'RecordGatewayRefunds', at, invoiceId, attemptId, refunds } as const;
    const following = followUpContext(
      context,
      `foreign refunds ${refunds.map((one) => one.refundId).join()}`,
    );
    const id = aggregateId(workspaceId, invoiceId);
    return (await this.aggregates.execute(invoiceDecider, id, following, command)).state;
  }
}
