import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InvalidRequest } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { attemptRequiringAction, invoiceDecider, Invoices, type Invoice } from '#libs/contexts/invoicing';
import { PaymentGateways, SavedCards, type GatewayNotice } from '#libs/contexts/payments';
import { CompletePayment } from './commands/complete-payment.js';
import { ConfirmPayment } from './commands/confirm-payment.js';

/** Records what the payment processor reports on its own: results of charges, saved cards, refunds and disputes. */
@Injectable()
export class GatewayNotices {
  constructor(
    private readonly commands: CommandBus,
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly gateways: PaymentGateways,
    private readonly cards: SavedCards,
  ) {}

  /** Records a notice. It may come late, in any order and more than once. */
  async record(context: CommandContext, notice: GatewayNotice): Promise<void> {
    switch (notice.type) {
      case 'charge':
        return this.recordCharge(context, notice.invoiceId, notice.chargeKey);
      case 'card':
        await this.cards.save(context, notice.setupId);
        return;
      case 'refunds': {
        const { invoiceId, chargeKey: attemptId, refunds } = notice;
        const command = {
          type: 'RecordGatewayRefunds',
          at: context.now,
          invoiceId,
          attemptId,
          refunds,
        } as const;
        await this.aggregates.execute(
          invoiceDecider,
          aggregateId(context.workspaceId, invoiceId),
          context,
          command,
        );
        return;
      }
      case 'dispute': {
        const { invoiceId, chargeKey: attemptId } = notice;
        const dispute = { attemptId, ...notice.dispute };
        const command = { type: 'RecordDispute', at: context.now, invoiceId, dispute } as const;
        await this.aggregates.execute(
          invoiceDecider,
          aggregateId(context.workspaceId, invoiceId),
          context,
          command,
        );
      }
    }
  }

  /**
   * Records the result of a charge, as the gateway has it now. A charge that the customer has confirmed pays the invoice. If the invoice
   * does not need the charge any more, the charge is refunded: the invoice was paid otherwise, voided, or its amount due has changed.
   */
  async recordCharge(context: CommandContext, invoiceId: string, attemptId: string): Promise<void> {
    const { workspaceId } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    const attempt = invoice.attempts.find((one) => one.attemptId === attemptId);
    if (!attempt || attempt.status === 'succeeded') return;
    if (attempt.status === 'pending') {
      await this.commands.execute(new CompletePayment(context, invoiceId, attemptId));
      return;
    }
    const gateway = await this.gateways.require(workspaceId);
    const { status } = await gateway.confirm(attemptId);
    if (status === 'requires_action') return;
    if (isAwaited(invoice, attemptId) && (await this.confirm(context, invoiceId))) return;
    if (status === 'succeeded') await gateway.refundUnwanted(attemptId);
  }

  /** Records the confirmation. Returns false if the invoice changed in this moment, so that it does not need the charge any more. */
  private async confirm(context: CommandContext, invoiceId: string): Promise<boolean> {
    try {
      await this.commands.execute(new ConfirmPayment(followUpContext(context, 'confirm'), invoiceId));
      return true;
    } catch (error) {
      if (error instanceof InvalidRequest) return false;
      throw error;
    }
  }
}

/** Tells whether the invoice can be paid by this charge when the customer confirms it. */
function isAwaited(invoice: Invoice, attemptId: string): boolean {
  const isOwed = invoice.status === 'open' || invoice.status === 'uncollectible';
  return isOwed && attemptRequiringAction(invoice)?.attemptId === attemptId;
}
