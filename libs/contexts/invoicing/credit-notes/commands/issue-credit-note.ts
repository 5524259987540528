import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { AggregateStore, idFor, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider } from '../../decider.js';
import type { Invoice } from '../../invoice.js';
import { requireCreditNote, type CreditNote } from '../credit-note.js';
import { CreditNoteCompleter } from '../credit-note-completer.js';
import { CreditNotePreviewer, type RequestedCreditNote } from '../credit-note-previewer.js';

/** A credit note with its invoice. */
export interface CreditNoteWithInvoice {
  readonly invoice: Invoice;
  readonly note: CreditNote;
}

/**
 * Credits a part of an invoice or the whole invoice. The credited amount is refunded, added to the customer's balance, or subtracted from
 * the amount due. Throws the errors that `decideCreditNote` lists. Throws InvalidRequest while a payment is in progress
 * (`payment_in_progress`), and for an invoice of prepaid credits that were not voided (`credits_not_voided`). Throws StateConflict
 * (`no_payment_gateway`) if the credit note would refund a card and the workspace has no payment gateway. Throws ActionHeld if the credit
 * note needs approval.
 */
export class IssueCreditNote extends Command<CreditNoteWithInvoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly request: RequestedCreditNote,
  ) {
    super();
  }
}

@CommandHandler(IssueCreditNote)
export class IssueCreditNoteHandler implements ICommandHandler<IssueCreditNote> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly creditNotes: CreditNoteCompleter,
    private readonly previewer: CreditNotePreviewer,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<Pick<IssueCreditNote, 'invoiceId' | 'request'>, CreditNoteWithInvoice>({
      kind: 'issue-credit-note',
      createCommand: (context, data) => new IssueCreditNote(context, data.invoiceId, data.request),
      propose: (context, data) => this.propose(context, data.invoiceId, data.request),
      resourceOf: ({ note }) => ({ type: 'credit_note', id: note.creditNoteId }),
    });
  }

  async execute({ context, invoiceId, request }: IssueCreditNote): Promise<CreditNoteWithInvoice> {
    const creditNoteId = idFor(context, 'cn', invoiceId);
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = {
      type: 'IssueCreditNote',
      invoiceId,
      ...request,
      creditNoteId,
      at: context.now,
    } as const;
    // The command that voids a block of credits was approved, and its gateway was checked, before it took the credits. So its credit note
    // must not be held again, nor be refused for a missing gateway.
    if (!request.ofVoidedCredits) {
      await this.previewer.requireGatewayForRefund(context, invoiceId, request);
      await this.gate.requireApprovalIfNeeded(context, 'invoice.credit_note', () =>
        this.propose(context, invoiceId, request),
      );
    }
    const { state } = await this.aggregates.execute(invoiceDecider, id, context, command);
    // The balance is credited before the command returns, so that a client sees the new balance at once.
    await this.creditNotes.creditBalance(context, state, requireCreditNote(creditNoteId, state.creditNotes));
    const invoice = await this.creditNotes.numberAndRefund(context, invoiceId, creditNoteId);
    return { invoice, note: requireCreditNote(creditNoteId, invoice.creditNotes) };
  }

  /** Describes the credit note for its approval request. Undefined if it was issued already. Throws the errors of the command. */
  private async propose(
    context: CommandContext,
    invoiceId: string,
    request: RequestedCreditNote,
  ): Promise<ProposedAction | undefined> {
    const proposed = await this.previewer.propose(context, invoiceId, request);
    const held = { kind: 'issue-credit-note', data: { invoiceId, request } };
    return proposed && { ...proposed, command: held };
  }
}
