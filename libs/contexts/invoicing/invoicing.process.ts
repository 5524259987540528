import { Injectable } from '@nestjs/common';
import { addSeconds } from '#libs/kernel/core';
import { withStreamCache } from '#libs/kernel/event-store';
import { ProcessManager, reactByEventType, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CreditNoteCompleter } from './credit-notes/credit-note-completer.js';
import { DraftOpener } from './draft-opener.js';
import type { InvoiceEvent } from './events.js';
import { ExcessSettler } from './give-backs/excess-settler.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';

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
    private readonly opener: DraftOpener,
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
    'open-invoice': ({ invoiceId }, context) =>
      withStreamCache(() => this.opener.openOrVoid(context, invoiceId)),
    'release-number': ({ invoiceId }, { workspaceId }) =>
      this.finalizer.releaseUnusedNumber(workspaceId, invoiceId),
    'complete-credit-note': async ({ invoiceId, creditNoteId }, context) => {
      await this.creditNotes.numberAndRefund(context, invoiceId, creditNoteId);
    },
    'complete-refund': ({ invoiceId, byInvoiceId }, context) =>
      this.excessSettler.sendStartedRefund(context, invoiceId, byInvoiceId),
  };
}
