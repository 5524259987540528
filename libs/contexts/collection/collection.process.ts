import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InvalidRequest } from '#libs/kernel/core';
import { readingOnce, type CommandContext } from '#libs/kernel/event-store';
import { Invoices, type Invoice, type InvoiceEvent } from '#libs/contexts/invoicing';
import { PaymentGateways } from '#libs/contexts/payments';
import { ProcessManager, reactTo, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CompletePayment } from './commands/complete-payment.js';
import { PayInvoice } from './commands/pay-invoice.js';
import { OverduePayments } from './overdue-payments.js';
import { Payments } from './payments.js';

interface Tasks {
  'collect-invoice': { invoiceId: string };
  'complete-payment': { invoiceId: string; attemptId: string };
  /** See what the invoice's subscriptions must know of its payment. */
  'record-payment-status': { invoiceId: string };
}

/**
 * Makes the first charge of an invoice that was opened, and completes the payments of a process that died. Tells subscriptions whether
 * they are past due. A first charge that fails leaves the invoice open: the attempt is listed, and whoever wants to pays it.
 */
@Injectable()
export class CollectionProcess extends ProcessManager<Tasks> {
  readonly name = 'collection';

  constructor(
    clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly payments: Payments,
    private readonly gateways: PaymentGateways,
    private readonly overdue: OverduePayments,
  ) {
    super(clock);
  }

  override readonly react = reactTo<InvoiceEvent, Tasks>({
    InvoiceOpened: ({ data: { invoiceId } }) => [{ name: 'collect-invoice', payload: { invoiceId } }],
    // Whoever starts a payment completes it too; this is for the case that it dies before it has.
    PaymentStarted: ({ data }) => [complete(data)],
    PaymentConfirmed: ({ data }) => [complete(data)],
    // Nothing was overdue that is paid at the first try, as most is, unless it had been written off.
    PaymentSucceeded: ({ data }) => (data.attempt === 1 && !data.writtenOff ? [] : [recordStatus(data)]),
    PaymentFailed: ({ data }) => [recordStatus(data)],
    InvoiceMarkedUncollectible: ({ data }) => [recordStatus(data)],
    InvoiceVoided: ({ data }) => [recordStatus(data)],
    // A credit note, or a later invoice, may leave nothing to pay.
    CreditNoteIssued: ({ data }) => [recordStatus(data)],
    InvoiceReduced: ({ data }) => [recordStatus(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'collect-invoice': ({ invoiceId }, context) => readingOnce(() => this.collect(context, invoiceId)),
    'complete-payment': async ({ invoiceId, attemptId }, context) => {
      await this.commands.execute(new CompletePayment(context, invoiceId, attemptId));
    },
    'record-payment-status': ({ invoiceId }, context) => this.overdue.record(context, invoiceId),
  };

  /**
   * The first charge of an open invoice. Without a card or a gateway the invoice stays open. So does the invoice of a customer that was
   * deleted meanwhile. Later charges are not made here.
   */
  private async collect(context: CommandContext, invoiceId: string): Promise<void> {
    const { workspaceId } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId, isUncharged);
    if (!isUncharged(invoice) || !invoice.settings.autoCollect) return;
    if (!(await this.gateways.find(workspaceId))) return;
    if (!(await this.payments.isCollectable(workspaceId, invoice.customerId))) return;
    // A refusal means that somebody else was faster, which is as good.
    await this.commands.execute(new PayInvoice(context, invoiceId)).catch((error: unknown) => {
      if (!(error instanceof InvalidRequest)) throw error;
    });
  }
}

function isUncharged({ status, attempts }: Invoice): boolean {
  return status === 'open' && attempts.length === 0;
}

function complete({ invoiceId, attemptId }: { invoiceId: string; attemptId: string }): TaskRequest<Tasks> {
  return { name: 'complete-payment', payload: { invoiceId, attemptId } };
}

function recordStatus({ invoiceId }: { invoiceId: string }): TaskRequest<Tasks> {
  return { name: 'record-payment-status', payload: { invoiceId } };
}
