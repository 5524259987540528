import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InvalidRequest } from '#libs/kernel/core';
import { withStreamCache, type CommandContext } from '#libs/kernel/event-store';
import { Invoices, type Invoice, type InvoiceEvent } from '#libs/contexts/invoicing';
import { PaymentGateways } from '#libs/contexts/payments';
import { ProcessManager, reactTo, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CompletePayment } from './commands/complete-payment.js';
import { PayInvoice } from './commands/pay-invoice.js';
import { OverduePaymentRecorder } from './overdue-payment-recorder.js';
import { InvoicePayments } from './invoice-payments.js';

interface Tasks {
  'collect-invoice': { invoiceId: string };
  'complete-payment': { invoiceId: string; attemptId: string };
  /** Records on the invoice's subscriptions whether the invoice is overdue. */
  'record-payment-status': { invoiceId: string };
}

/**
 * Makes the first charge of an opened invoice, and completes the payments of a crashed process. Records on subscriptions whether they are
 * past due. If the first charge fails, the invoice stays open with the failed attempt, and a later request can pay it.
 */
@Injectable()
export class CollectionProcess extends ProcessManager<Tasks> {
  readonly name = 'collection';

  constructor(
    clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
    private readonly gateways: PaymentGateways,
    private readonly overdue: OverduePaymentRecorder,
  ) {
    super(clock);
  }

  override readonly react = reactTo<InvoiceEvent, Tasks>({
    InvoiceOpened: ({ data: { invoiceId } }) => [{ name: 'collect-invoice', payload: { invoiceId } }],
    // The process that starts a payment also completes it. These tasks complete the payment if that process crashes first.
    PaymentStarted: ({ data }) => [completePaymentTask(data)],
    PaymentConfirmed: ({ data }) => [completePaymentTask(data)],
    // An invoice whose first attempt succeeds was never overdue, unless it had been written off.
    PaymentSucceeded: ({ data }) => (data.attempt === 1 && !data.writtenOff ? [] : [recordStatusTask(data)]),
    PaymentFailed: ({ data }) => [recordStatusTask(data)],
    InvoiceMarkedUncollectible: ({ data }) => [recordStatusTask(data)],
    InvoiceVoided: ({ data }) => [recordStatusTask(data)],
    // A credit note, or a give-back of a later invoice, can reduce the amount due to zero.
    CreditNoteIssued: ({ data }) => [recordStatusTask(data)],
    InvoiceReduced: ({ data }) => [recordStatusTask(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'collect-invoice': ({ invoiceId }, context) => withStreamCache(() => this.collect(context, invoiceId)),
    'complete-payment': async ({ invoiceId, attemptId }, context) => {
      await this.commands.execute(new CompletePayment(context, invoiceId, attemptId));
    },
    'record-payment-status': ({ invoiceId }, context) => this.overdue.record(context, invoiceId),
  };

  /**
   * Makes the first charge of an open invoice. The invoice stays open if there is no card or no gateway, or if the customer was deleted
   * meanwhile. Later charges are made only on request.
   */
  private async collect(context: CommandContext, invoiceId: string): Promise<void> {
    const { workspaceId } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId, isUncharged);
    if (!isUncharged(invoice) || !invoice.settings.autoCollect) return;
    if (!(await this.gateways.find(workspaceId))) return;
    if (!(await this.payments.canChargeAutomatically(workspaceId, invoice.customerId))) return;
    // A refusal means that another caller has already charged the invoice.
    await this.commands.execute(new PayInvoice(context, invoiceId)).catch((error: unknown) => {
      if (!(error instanceof InvalidRequest)) throw error;
    });
  }
}

function isUncharged({ status, attempts }: Invoice): boolean {
  return status === 'open' && attempts.length === 0;
}

function completePaymentTask({
  invoiceId,
  attemptId,
}: {
  invoiceId: string;
  attemptId: string;
}): TaskRequest<Tasks> {
  return { name: 'complete-payment', payload: { invoiceId, attemptId } };
}

function recordStatusTask({ invoiceId }: { invoiceId: string }): TaskRequest<Tasks> {
  return { name: 'record-payment-status', payload: { invoiceId } };
}
