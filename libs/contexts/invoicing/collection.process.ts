import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { addSeconds, InvalidRequest } from '#libs/kernel/core';
import { readingOnce, type CommandContext } from '#libs/kernel/event-store';
import { type RecordedEvent } from '#libs/kernel/domain';
import { PaymentGateways } from '#libs/contexts/payments';
import { contextOfTask, ProcessManager, type Task, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CompletePayment } from './commands/complete-payment.js';
import { OpenInvoice } from './commands/open-invoice.js';
import { PayInvoice } from './commands/pay-invoice.js';
import { VoidInvoice } from './commands/void-invoice.js';
import { CreditNotes } from './credit-notes/credit-notes.js';
import type { InvoiceEvent } from './events.js';
import { ExcessSettler } from './give-backs/excess-settler.js';
import { Invoices } from './invoices.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';
import type { Invoice } from './invoice.js';
import { isNothing } from './invoice-decider.js';
import { Payments } from './payments.js';

interface Payload {
  invoiceId: string;
  attemptId?: string;
  creditNoteId?: string;
  byInvoiceId?: string;
}

/**
 * Takes an invoice from draft to paid by itself, as its settings say, and brings payments to their end whose process
 * died. A first charge that fails leaves the invoice open: the attempt is listed, and whoever wants to pays it.
 */
@Injectable()
export class CollectionProcess extends ProcessManager {
  readonly name = 'collection';

  constructor(
    private readonly commands: CommandBus,
    private readonly clock: WorkspaceClock,
    private readonly invoices: Invoices,
    private readonly finalizer: InvoiceFinalizer,
    private readonly payments: Payments,
    private readonly gateways: PaymentGateways,
    private readonly creditNotes: CreditNotes,
    private readonly excessSettler: ExcessSettler,
  ) {
    super();
  }

  override react(event: RecordedEvent): TaskRequest[] {
    const { type, data } = event as RecordedEvent<InvoiceEvent> & InvoiceEvent;
    const { invoiceId } = data;
    switch (type) {
      case 'InvoiceCreated': {
        const { autoApprove, gracePeriodHours } = data.settings;
        if (!autoApprove) return [];
        const dueAt = gracePeriodHours > 0 ? { dueAt: addSeconds(data.at, gracePeriodHours * 3_600) } : {};
        return [{ name: 'open-invoice', payload: { invoiceId }, ...dueAt }];
      }
      case 'DraftRecomputed':
        return [];
      case 'InvoiceOpened':
        return [{ name: 'collect-invoice', payload: { invoiceId } }];
      // Whoever starts a payment completes it too; this is for the case that it dies before it has.
      case 'PaymentStarted':
      case 'PaymentConfirmed':
        return [{ name: 'complete-payment', payload: { invoiceId, attemptId: data.attemptId } }];
      case 'InvoiceVoided':
        return data.number === null ? [{ name: 'release-number', payload: { invoiceId } }] : [];
      case 'CreditNoteIssued':
        return [
          { name: 'complete-credit-note', payload: { invoiceId, creditNoteId: data.note.creditNoteId } },
        ];
      case 'PaymentRefundStarted':
        return [{ name: 'complete-refund', payload: { invoiceId, byInvoiceId: data.byInvoiceId } }];
      case 'PaymentSucceeded':
      case 'PaymentFailed':
      case 'PaymentActionRequired':
      case 'CreditNoteNumbered':
      case 'CreditNoteRefunded':
      case 'CreditNoteVoided':
      case 'InvoiceLinesGivenBack':
      case 'InvoiceGiveBackReturned':
      case 'InvoiceReduced':
      case 'PaymentRefunded':
      case 'InvoicePaid':
      case 'InvoiceMarkedUncollectible':
        return [];
      default:
        return ofNoInvoice(type);
    }
  }

  override async perform(task: Task): Promise<void> {
    const { invoiceId, attemptId, creditNoteId, byInvoiceId } = task.payload as Payload;
    const context = await contextOfTask(this.name, this.clock, task);
    switch (task.name) {
      case 'open-invoice':
        return readingOnce(() => this.open(context, invoiceId));
      case 'collect-invoice':
        return readingOnce(() => this.collect(context, invoiceId));
      case 'complete-payment':
        await this.commands.execute(new CompletePayment(context, invoiceId, attemptId!));
        return;
      case 'complete-credit-note':
        await this.creditNotes.complete(context, invoiceId, creditNoteId!);
        return;
      case 'complete-refund':
        return this.excessSettler.completeRefund(context, invoiceId, byInvoiceId!);
      case 'release-number':
        return this.finalizer.releaseUnused(context.workspaceId, invoiceId);
      default:
        throw new Error(`Collection has no task "${task.name}"`);
    }
  }

  /** A draft that was approved, paid or voided by hand meanwhile is left as it is; one that charges nothing may be dropped. */
  private async open(context: CommandContext, invoiceId: string): Promise<void> {
    const found = await this.invoices.require(context.workspaceId, invoiceId, isNewDraft);
    // A try before this one may have died with a number that it took for what was voided meanwhile.
    if (found.status !== 'draft') return this.finalizer.releaseUnused(context.workspaceId, invoiceId);
    const draft = found.settings.skipZeroInvoices ? await this.finalizer.upToDate(context, found) : found;
    const command =
      draft.settings.skipZeroInvoices && chargesNothing(draft)
        ? new VoidInvoice(context, invoiceId, 'Nothing was charged')
        : new OpenInvoice(context, invoiceId);
    await unlessRefused(this.commands.execute(command));
  }

  /**
   * The first charge of an open invoice. Without a card or a gateway it stays open, and so does one of a customer that was deleted
   * meanwhile; later charges are not made here.
   */
  private async collect(context: CommandContext, invoiceId: string): Promise<void> {
    const { workspaceId } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId, isUncharged);
    if (!isUncharged(invoice) || !invoice.settings.autoCollect) return;
    if (!(await this.gateways.find(workspaceId))) return;
    if (!(await this.payments.isCollectable(workspaceId, invoice.customerId))) return;
    await unlessRefused(this.commands.execute(new PayInvoice(context, invoiceId)));
  }
}

/** Whether it is a draft that nobody has had the time to change: one that may wait is looked at again. */
function isNewDraft({ status, settings }: Invoice): boolean {
  return status === 'draft' && settings.autoApprove && settings.gracePeriodHours === 0;
}

function isUncharged({ status, attempts }: Invoice): boolean {
  return status === 'open' && attempts.length === 0;
}

/** Whether no line charges or gives back anything: then no coupon, tax or credit is on it either. */
function chargesNothing({ lines }: Invoice): boolean {
  return lines.every(({ amount }) => isNothing(amount));
}

/** Every event of the log comes by; this process has to do with invoices alone. */
function ofNoInvoice(_type: never): TaskRequest[] {
  return [];
}

/** A refusal means that somebody else was faster, which is as good. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof InvalidRequest)) throw error;
  });
}
