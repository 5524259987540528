import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { addSeconds, InvalidRequest } from '#libs/kernel/core';
import { withStreamCache, type CommandContext } from '#libs/kernel/event-store';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { OpenInvoice } from './commands/open-invoice.js';
import { VoidInvoice } from './commands/void-invoice.js';
import { CreditNoteCompleter } from './credit-notes/credit-note-completer.js';
import type { InvoiceEvent } from './events.js';
import { ExcessSettler } from './give-backs/excess-settler.js';
import { isZeroAmount } from './invoice.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';
import type { Invoice } from './invoice.js';
import { Invoices } from './invoices.js';

interface Tasks {
  'open-invoice': { invoiceId: string };
  'release-number': { invoiceId: string };
  'complete-credit-note': { invoiceId: string; creditNoteId: string };
  /** Completes the refund of the amount that the later invoice `byInvoiceId` gave back. */
  'complete-refund': { invoiceId: string; byInvoiceId: string };
}

/**
 * Opens a draft invoice automatically if its `autoApprove` setting is true. Completes credit notes and refunds if the process that began
 * them has crashed. Releases the invoice numbers of voided drafts.
 */
@Injectable()
export class InvoicingProcess extends ProcessManager<Tasks> {
  readonly name = 'invoicing';

  constructor(
    clock: WorkspaceClock,
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly finalizer: InvoiceFinalizer,
    private readonly creditNotes: CreditNoteCompleter,
    private readonly excessSettler: ExcessSettler,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<InvoiceEvent, Tasks>({
    InvoiceCreated: ({ data: { invoiceId, at, settings, lines } }) => {
      const { autoApprove, gracePeriodHours } = settings;
      // Nobody has to review a draft without lines. Its task voids it.
      if (!autoApprove && lines.length > 0) return [];
      const dueAt = gracePeriodHours > 0 ? { dueAt: addSeconds(at, gracePeriodHours * 3_600) } : {};
      return [{ name: 'open-invoice', payload: { invoiceId }, ...dueAt }];
    },
    InvoiceVoided: ({ data: { invoiceId, number } }) =>
      number === null ? [{ name: 'release-number', payload: { invoiceId } }] : [],
    // The process that issues a note or begins a refund also completes it. These tasks do so if that process crashes first.
    CreditNoteIssued: ({ data: { invoiceId, note } }) => [
      { name: 'complete-credit-note', payload: { invoiceId, creditNoteId: note.creditNoteId } },
    ],
    PaymentRefundStarted: ({ data: { invoiceId, byInvoiceId } }) => [
      { name: 'complete-refund', payload: { invoiceId, byInvoiceId } },
    ],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'open-invoice': ({ invoiceId }, context) => withStreamCache(() => this.open(context, invoiceId)),
    'release-number': ({ invoiceId }, { workspaceId }) =>
      this.finalizer.releaseUnusedNumber(workspaceId, invoiceId),
    'complete-credit-note': async ({ invoiceId, creditNoteId }, context) => {
      await this.creditNotes.numberAndRefund(context, invoiceId, creditNoteId);
    },
    'complete-refund': ({ invoiceId, byInvoiceId }, context) =>
      this.excessSettler.sendStartedRefund(context, invoiceId, byInvoiceId),
  };

  /**
   * Opens a draft. An invoice that a user has already approved, paid or voided does not change. A draft without charges is voided if its
   * `skipZeroInvoices` setting is true. A draft without lines is always voided: it only asked for late usage, and there was none.
   */
  private async open(context: CommandContext, invoiceId: string): Promise<void> {
    const found = await this.invoices.require(context.workspaceId, invoiceId, isNewDraft);
    // An earlier attempt may have reserved a number before it crashed, and the draft was voided after that.
    if (found.status !== 'draft') return this.finalizer.releaseUnusedNumber(context.workspaceId, invoiceId);
    const isSkippedAtZero = found.settings.skipZeroInvoices || found.lines.length === 0;
    const draft = isSkippedAtZero ? await this.finalizer.recomputeIfOutdated(context, found) : found;
    const isVoided = isSkippedAtZero && chargesNothing(draft);
    if (!isVoided && !draft.settings.autoApprove) return;
    const command = isVoided
      ? new VoidInvoice(context, invoiceId, 'Nothing was charged')
      : new OpenInvoice(context, invoiceId);
    await this.commands
      .execute(command)
      .catch((error: unknown) => this.requireOpenedOrVoided(error, context, invoiceId));
  }

  /** Ignores a refusal if another caller has opened or voided the invoice. Throws the error again while the invoice is a draft. */
  private async requireOpenedOrVoided(
    error: unknown,
    { workspaceId }: CommandContext,
    invoiceId: string,
  ): Promise<void> {
    if (!(error instanceof InvalidRequest)) throw error;
    const { status } = await this.invoices.require(workspaceId, invoiceId);
    if (status === 'draft') throw error;
  }
}

/**
 * Tells whether the draft is opened at once. A draft that is opened at once is used as it is in memory, because it was created a moment
 * ago. A draft with a grace period is read again from its stream, because it may have changed meanwhile.
 */
function isNewDraft({ status, settings }: Invoice): boolean {
  return status === 'draft' && settings.autoApprove && settings.gracePeriodHours === 0;
}

/** Tells whether all lines are zero. If all lines are zero, the total is zero and nothing goes to the customer's balance. */
function chargesNothing({ lines }: Invoice): boolean {
  return lines.every(({ amount }) => isZeroAmount(amount));
}
