import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InvalidRequest, type Instant } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import {
  attemptRequiringAction,
  invoiceDecider,
  Invoices,
  type Invoice,
  type InvoiceCommand,
} from '#libs/contexts/invoicing';
import { PaymentGateways, SavedCardAttacher, type GatewayNotice } from '#libs/contexts/payments';
import { CompletePayment } from './commands/complete-payment.js';
import { ConfirmPayment } from './commands/confirm-payment.js';

/** The error codes that mean that the invoice waits for no confirmation. */
const NEEDS_NO_CHARGE = ['invoice_already_paid', 'invoice_void', 'no_action_required'];

/** Records what the payment processor reports without a request: results of charges, saved cards, refunds and disputes. */
@Injectable()
export class GatewayNoticeRecorder {
  constructor(
    private readonly commands: CommandBus,
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly gateways: PaymentGateways,
    private readonly cards: SavedCardAttacher,
  ) {}

  /** Records a notice. The notice may come late, in any order and more than once. */
  async record(context: CommandContext, notice: GatewayNotice): Promise<void> {
    switch (notice.type) {
      case 'charge':
        return this.recordCharge(context, notice.invoiceId, notice.chargeKey);
      case 'card':
        await this.cards.attachCardOfSetup(context, notice.setupId);
        return;
      case 'refunds': {
        const { refunds } = notice;
        return this.report(context, notice, (about) => ({ type: 'RecordGatewayRefunds', ...about, refunds }));
      }
      case 'refund_failure': {
        const { key: refundKey, ...refund } = notice.refund;
        return this.report(context, notice, (about) => ({
          type: 'RecordRefundFailure' as const,
          ...about,
          refundKey,
          ...refund,
        }));
      }
      case 'dispute':
        return this.report(context, notice, ({ attemptId, ...about }) => ({
          type: 'RecordDispute' as const,
          ...about,
          dispute: { attemptId, ...notice.dispute },
        }));
    }
  }

  /**
   * Records on the invoice a refund, a failed refund or a dispute of a charge. The result of the charge is recorded first, because its own
   * notice can come later. A refund or dispute of a charge that is not recorded as a payment changes nothing.
   */
  private async report(
    context: CommandContext,
    { invoiceId, chargeKey: attemptId }: { readonly invoiceId: string; readonly chargeKey: string },
    command: (about: { at: Instant; invoiceId: string; attemptId: string }) => InvoiceCommand,
  ): Promise<void> {
    await this.recordCharge(context, invoiceId, attemptId);
    const id = aggregateId(context.workspaceId, invoiceId);
    const about = { at: context.now, invoiceId, attemptId };
    await this.aggregates.execute(invoiceDecider, id, context, command(about));
  }

  /**
   * Records the current result of a charge from the gateway. A charge that the customer has confirmed pays the invoice. The charge is
   * refunded if the invoice was voided or paid by another payment, or if the invoice's amount due has changed. A refunded charge never pays
   * the invoice. Throws StateConflict (`payment_in_progress`) while a payment from the customer's balance is in progress, or while another
   * request confirms this charge.
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
    const { status } = await gateway.readOutcome(attemptId);
    if (status === 'requires_action') return;
    const canPay = isAwaited(invoice, attemptId) && !(await gateway.isUnwantedCharge(attemptId));
    if (canPay && (await this.confirm(context, invoiceId, attemptId))) return;
    if (status === 'succeeded') await gateway.refundUnwantedCharge(attemptId);
  }

  /**
   * Records the confirmation. Returns false if the invoice changed meanwhile and no longer needs the charge. Returns true if another
   * request has recorded the confirmation first. Throws StateConflict (`payment_in_progress`) while another payment is in progress. That
   * payment can fail, so the caller must try again.
   */
  private async confirm(context: CommandContext, invoiceId: string, attemptId: string): Promise<boolean> {
    try {
      await this.commands.execute(new ConfirmPayment(followUpContext(context, 'confirm'), invoiceId));
      return true;
    } catch (error) {
      if (!(error instanceof InvalidRequest && NEEDS_NO_CHARGE.includes(error.code))) throw error;
      const { attempts } = await this.invoices.require(context.workspaceId, invoiceId);
      const status = attempts.find((one) => one.attemptId === attemptId)?.status;
      return status === 'pending' || status === 'succeeded';
    }
  }
}

/** Tells whether this charge can pay the invoice when the customer confirms the charge. */
function isAwaited(invoice: Invoice, attemptId: string): boolean {
  const isOwed = invoice.status === 'open' || invoice.status === 'uncollectible';
  return isOwed && attemptRequiringAction(invoice)?.attemptId === attemptId;
}
