import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AppError, InvalidRequest } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { OpenInvoice } from './commands/open-invoice.js';
import { VoidInvoice } from './commands/void-invoice.js';
import { isZeroAmount, type Invoice } from './invoice.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';
import { Invoices } from './invoices.js';

/** Opens drafts as their settings say, without a user who approves them. */
@Injectable()
export class DraftOpener {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly finalizer: InvoiceFinalizer,
  ) {}

  /**
   * Opens the draft of a request if its settings open it at once, and returns the invoice as it is then: open, paid from the balance, or
   * void. If the draft cannot be opened now, returns the draft, because a task of the saga opens it later. As in that task, the system is
   * the actor.
   */
  async openForAnswer(context: CommandContext, invoice: Invoice): Promise<Invoice> {
    const { invoiceId } = invoice;
    if (!isNewDraft(invoice)) return invoice;
    const opening = followUpContext(context, `open ${invoiceId}`);
    try {
      await this.openOrVoid({ ...opening, actor: { type: 'system', id: 'invoicing' } }, invoiceId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    return this.invoices.require(context.workspaceId, invoiceId);
  }

  /**
   * Opens a draft. An invoice that a user has already approved, paid or voided does not change. A draft without charges is voided if its
   * `skipZeroInvoices` setting is true. A draft without lines is always voided: it only asked for late usage, and there was none.
   */
  async openOrVoid(context: CommandContext, invoiceId: string): Promise<void> {
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
