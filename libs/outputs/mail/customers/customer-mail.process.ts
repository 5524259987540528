import { Injectable } from '@nestjs/common';
import { InvoicePayments } from '#libs/contexts/collection';
import type { DunningEvent, DunningTemplate } from '#libs/contexts/dunning';
import {
  amountToPay,
  succeededPayments,
  CurrentBillingSettings,
  Invoices,
  isZeroAmount,
  plannedRetryAt,
  type CustomerEmailKind,
  type Invoice,
  type InvoiceEvent,
} from '#libs/contexts/invoicing';
import { PaymentGateways } from '#libs/contexts/payments';
import { idFor, withStreamCache, type CommandContext } from '#libs/kernel/event-store';
import {
  ProcessManager,
  reactByEventType,
  type Task,
  type TaskHandlers,
  type TaskRequest,
  type TaskResult,
} from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { cardText } from '#libs/outputs/documents';
import { isAmountRefusal } from '#libs/rating';
import type { SendConditions } from '../queue/mail.js';
import {
  actionRequiredLetter,
  creditNoteLetter,
  dunningLetter,
  invoiceLetter,
  paymentFailedLetter,
  receiptLetter,
  type ReceivedPayment,
  type DunningSubscriptionChange,
} from './customer-letters.js';
import { CustomerMailQueue } from './customer-mail-queue.js';
import { isOwed } from './is-owed.js';

/** The largest number of invoices whose PDFs are attached to one mail. */
const MAX_ATTACHED = 10;

interface Tasks {
  'mail-invoice': { invoiceId: string };
  'mail-receipt': { invoiceId: string; attemptId: string };
  'mail-recorded-receipt': { invoiceId: string; paymentId: string };
  /** `nextAttemptAt` is the time of the retry that was planned after the failure; null if no retry was planned. */
  'mail-payment-failed': { invoiceId: string; attemptId: string; nextAttemptAt: string | null };
  'mail-action-required': { invoiceId: string; attemptId: string };
  'mail-credit-note': { invoiceId: string; creditNoteId: string };
  'mail-dunning-step': {
    mailId: string;
    processId: string;
    invoiceIds: readonly string[];
    template: DunningTemplate;
    subscription: DunningSubscriptionChange;
    /** The invoices whose subscriptions the step changes. Absent in tasks of earlier versions, which mean all invoices. */
    changedInvoiceIds?: readonly string[];
  };
}

/**
 * Writes mail to customers about their invoices. A customer whose card is charged automatically gets no mail with the open invoice, but a
 * receipt or mail about the failed payment.
 */
@Injectable()
export class CustomerMailProcess extends ProcessManager<Tasks> {
  readonly name = 'customer-mail';

  constructor(
    clock: WorkspaceClock,
    private readonly mails: CustomerMailQueue,
    private readonly invoices: Invoices,
    private readonly payments: InvoicePayments,
    private readonly gateways: PaymentGateways,
    private readonly billingSettings: CurrentBillingSettings,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<InvoiceEvent | DunningEvent, Tasks>({
    InvoiceOpened: ({ data: { invoiceId, total } }) =>
      isZeroAmount(total) ? [] : [{ name: 'mail-invoice', payload: { invoiceId } }],
    PaymentSucceeded: ({ data: { invoiceId, attemptId } }) => [
      { name: 'mail-receipt', payload: { invoiceId, attemptId } },
    ],
    // A payment from the balance brings no money in, so the customer gets no receipt for it.
    PaymentRecorded: ({ data: { invoiceId, paymentId, method } }) =>
      method === 'balance' ? [] : [{ name: 'mail-recorded-receipt', payload: { invoiceId, paymentId } }],
    // A customer who pays on the invoice's page sees there what happened.
    // If the amount cannot be charged, no card was declined, and the customer can do nothing about it.
    PaymentFailed: ({ data: { invoiceId, attemptId, code, retries }, metadata }) =>
      metadata.actor.type === 'customer' || isAmountRefusal(code)
        ? []
        : [
            {
              name: 'mail-payment-failed',
              payload: { invoiceId, attemptId, nextAttemptAt: plannedRetryAt(retries) },
            },
          ],
    PaymentActionRequired: ({ data: { invoiceId, attemptId }, metadata }) =>
      metadata.actor.type === 'customer'
        ? []
        : [{ name: 'mail-action-required', payload: { invoiceId, attemptId } }],
    CreditNoteNumbered: ({ data: { invoiceId, creditNoteId } }) => [
      { name: 'mail-credit-note', payload: { invoiceId, creditNoteId } },
    ],
    DunningStepTaken: ({ data }) => [dunningTask(data)],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'mail-invoice': ({ invoiceId }, context) => this.mailInvoice(context, invoiceId),
    'mail-receipt': async ({ invoiceId, attemptId }, context) => {
      const invoice = await this.invoiceFor(context, 'receipt', invoiceId);
      const paid = invoice?.attempts.find((attempt) => attempt.attemptId === attemptId);
      if (!invoice || !paid) return;
      const { amount, finishedAt, startedAt, method } = paid;
      await this.mailReceipt(
        context,
        invoice,
        {},
        {
          amount,
          toBalance: '0',
          paidAt: finishedAt ?? startedAt,
          methodName: (words) => cardText(method.label, words),
        },
      );
    },
    'mail-recorded-receipt': async ({ invoiceId, paymentId }, context) => {
      const invoice = await this.invoiceFor(context, 'receipt', invoiceId);
      const payment = succeededPayments(invoice?.recordedPayments).find((one) => one.paymentId === paymentId);
      if (!invoice || !payment || payment.method === 'balance') return;
      const { amount, toBalance, paidAt, method } = payment;
      await this.mailReceipt(
        context,
        invoice,
        { unlessReversed: { invoiceId, paymentId } },
        { amount, toBalance, paidAt, methodName: ({ payment: { methods } }) => methods[method] },
      );
    },
    'mail-payment-failed': async ({ invoiceId, attemptId, nextAttemptAt }, context) => {
      const invoice = await this.invoiceFor(context, 'payment_failed', invoiceId);
      const failed = invoice?.attempts.find((attempt) => attempt.attemptId === attemptId);
      if (!invoice || !failed) return;
      await this.mails.add(context, {
        ...this.about(context, 'payment_failed', invoice),
        attachments: [{ document: 'invoice', invoiceId }],
        conditions: { whileOwed: [invoiceId] },
        makeLetter: (frame, [one]) => paymentFailedLetter(frame, one!, failed, nextAttemptAt),
      });
    },
    'mail-action-required': async ({ invoiceId }, context) => {
      const invoice = await this.invoiceFor(context, 'payment_failed', invoiceId);
      if (!invoice) return;
      await this.mails.add(context, {
        ...this.about(context, 'payment_action_required', invoice),
        attachments: [{ document: 'invoice', invoiceId }],
        conditions: { whileOwed: [invoiceId] },
        makeLetter: (frame, [one]) => actionRequiredLetter(frame, one!),
      });
    },
    'mail-credit-note': async ({ invoiceId, creditNoteId }, context) => {
      const invoice = await this.invoiceFor(context, 'credit_note', invoiceId);
      const note = invoice?.creditNotes.find((one) => one.creditNoteId === creditNoteId);
      if (!invoice || !note || note.voidedAt !== undefined) return;
      await this.mails.add(context, {
        ...this.about(context, 'credit_note', invoice),
        attachments: [{ document: 'credit_note', invoiceId, creditNoteId }],
        conditions: { unlessVoid: { invoiceId, creditNoteId } },
        makeLetter: (frame, [one]) => creditNoteLetter(frame, one!, note),
      });
    },
    'mail-dunning-step': async (step, context) => {
      const { mailId, processId, invoiceIds, template, subscription, changedInvoiceIds } = step;
      const all = await Promise.all(
        invoiceIds.map((invoiceId) => this.invoices.require(context.workspaceId, invoiceId)),
      );
      // A payment can have come since the step.
      const invoices = all.filter(isOwed);
      if (invoices.length === 0) return;
      const whileOwed = invoices.map(({ invoiceId }) => invoiceId);
      await this.mails.add(context, {
        mailId,
        kind: `dunning_${template}`,
        about: processId,
        invoices,
        conditions: { whileOwed },
        attachments: whileOwed
          .slice(0, MAX_ATTACHED)
          .map((invoiceId) => ({ document: 'invoice', invoiceId })),
        makeLetter: (frame, linked) =>
          dunningLetter(frame, linked, template, subscription, changedInvoiceIds),
      });
    },
  };

  /**
   * A task needs the invoice and its customer several times, and changes neither. So a cache reads each of their event streams only once
   * for each task.
   */
  override perform(task: Task): Promise<TaskResult | void> {
    return withStreamCache(() => super.perform(task));
  }

  private async mailInvoice(context: CommandContext, invoiceId: string): Promise<void> {
    const invoice = await this.invoiceFor(context, 'invoice', invoiceId);
    if (!invoice || (await this.isCharged(context.workspaceId, invoice))) return;
    await this.mails.add(context, {
      ...this.about(context, 'invoice', invoice),
      attachments: [{ document: 'invoice', invoiceId }],
      conditions: { unlessVoid: { invoiceId } },
      makeLetter: (frame, [one]) => invoiceLetter(frame, one!),
    });
  }

  private async mailReceipt(
    context: CommandContext,
    invoice: Invoice,
    conditions: SendConditions,
    payment: ReceivedPayment,
  ): Promise<void> {
    const { invoiceId } = invoice;
    await this.mails.add(context, {
      ...this.about(context, 'receipt', invoice),
      // If the invoice is not completely paid, it has no receipt yet. The mail then has only the PDF of the invoice.
      attachments: [
        { document: 'invoice', invoiceId },
        { document: 'receipt', invoiceId },
      ],
      conditions,
      makeLetter: (frame, [one]) => receiptLetter(frame, one!, payment),
    });
  }

  /**
   * Tells whether a card was charged for the invoice, or is charged automatically. Such an invoice is not mailed, because the receipt or
   * the mail about the failed payment follows.
   */
  private async isCharged(workspaceId: string, invoice: Invoice): Promise<boolean> {
    if (invoice.attempts.length > 0) return true;
    if (!invoice.settings.autoCollect || isZeroAmount(amountToPay(invoice))) return false;
    if (!(await this.gateways.find(workspaceId))) return false;
    return this.payments.canChargeAutomatically(workspaceId, invoice.customerId);
  }

  /** Returns the invoice if the workspace sends this kind of mail and the invoice was not voided meanwhile. */
  private async invoiceFor(
    { workspaceId }: CommandContext,
    kind: CustomerEmailKind,
    invoiceId: string,
  ): Promise<Invoice | undefined> {
    const { customerEmails } = await this.billingSettings.ofWorkspace(workspaceId);
    if (!customerEmails.includes(kind)) return undefined;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    return invoice.status === 'void' ? undefined : invoice;
  }

  private about(context: CommandContext, kind: string, invoice: Invoice) {
    const { invoiceId } = invoice;
    return { mailId: idFor(context, 'mail', invoiceId), kind, about: invoiceId, invoices: [invoice] };
  }
}

function dunningTask({
  mailId,
  processId,
  invoiceIds,
  template,
  subscription,
  due,
}: Extract<DunningEvent, { type: 'DunningStepTaken' }>['data']): TaskRequest<Tasks> {
  const changed = due?.filter((one) => one.subscription === subscription);
  const payload = {
    mailId,
    processId,
    invoiceIds,
    template,
    subscription,
    ...(changed ? { changedInvoiceIds: changed.map(({ invoiceId }) => invoiceId) } : {}),
  };
  return { name: 'mail-dunning-step', payload };
}
