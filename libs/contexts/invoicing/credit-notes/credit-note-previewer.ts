import { Injectable } from '@nestjs/common';
import type { ProposedAction } from '#libs/contexts/approvals';
import { PaymentGateways } from '#libs/contexts/payments';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../decider.js';
import type { CreditNoteRequest } from '../decisions/credit-note-amounts.js';
import type { Invoice } from '../invoice.js';
import { proposedCreditNote } from '../proposed-actions.js';
import { requireCreditNote, type CreditNote } from './credit-note.js';

/** The request for a credit note, without the fields that the command adds. */
export type RequestedCreditNote = Omit<CreditNoteRequest, 'creditNoteId' | 'at'>;

/** Shows the credit note that a command would issue, and stores nothing. */
@Injectable()
export class CreditNotePreviewer {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly gateways: PaymentGateways,
  ) {}

  /**
   * Returns the data that an approval request shows about the credit note. Returns undefined if the command has issued its credit note
   * already. Throws an error if the invoice refuses the credit note.
   */
  async propose(
    context: CommandContext,
    invoiceId: string,
    request: RequestedCreditNote,
  ): Promise<Omit<ProposedAction, 'command'> | undefined> {
    const preview = await this.preview(context, invoiceId, request);
    return preview && proposedCreditNote(preview.invoice, preview.note);
  }

  /**
   * Refuses a credit note with a refund if the workspace has no gateway (InvalidRequest, `no_payment_gateway`). Without a gateway, no refund
   * can be made.
   */
  async requireGatewayForRefund(
    context: CommandContext,
    invoiceId: string,
    request: RequestedCreditNote,
  ): Promise<void> {
    if (await this.gateways.find(context.workspaceId)) return;
    const preview = await this.preview(context, invoiceId, request);
    if (preview?.note.refundStatus === 'pending') await this.gateways.require(context.workspaceId);
  }

  private async preview(
    context: CommandContext,
    invoiceId: string,
    request: RequestedCreditNote,
  ): Promise<{ invoice: Invoice; note: CreditNote } | undefined> {
    const { workspaceId, now: at } = context;
    const creditNoteId = idFor(context, 'cn', invoiceId);
    const command = { type: 'IssueCreditNote', invoiceId, ...request, creditNoteId, at } as const;
    const id = aggregateId(workspaceId, invoiceId);
    const preview = await this.aggregates.preview(invoiceDecider, id, context, command);
    return (
      preview && {
        invoice: preview.before!,
        note: requireCreditNote(creditNoteId, preview.after.creditNotes),
      }
    );
  }
}
