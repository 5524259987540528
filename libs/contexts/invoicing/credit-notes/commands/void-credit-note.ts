import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { aggregateId } from '#libs/kernel/domain';
import { invoiceDecider } from '../../decider.js';
import { requireVoidableCreditNote } from '../../decisions/credit-note.js';
import { requireNoPaymentInProgress } from '../../decisions/payment-guards.js';
import { Invoices } from '../../invoices.js';
import { requireCreditNote, creditNoteStatusOf } from '../credit-note.js';
import { CreditNoteCompleter } from '../credit-note-completer.js';
import type { CreditNoteWithInvoice } from './issue-credit-note.js';

/**
 * Voids a credit note that was issued by mistake. The amount that the credit note subtracted from the invoice is due again. The amount that
 * the credit note added to the customer's balance is removed from the balance. Throws the errors that `requireVoidableCreditNote` lists.
 * Throws Conflict (`balance_used`) if the balance is lower than the amount to remove. Throws StateConflict (`payment_in_progress`) while a
 * payment of the invoice is in progress.
 */
export class VoidCreditNote extends Command<CreditNoteWithInvoice> {
  constructor(
    readonly context: CommandContext,
    readonly invoiceId: string,
    readonly creditNoteId: string,
    readonly reason: string | null,
  ) {
    super();
  }
}

@CommandHandler(VoidCreditNote)
export class VoidCreditNoteHandler implements ICommandHandler<VoidCreditNote> {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly creditNotes: CreditNoteCompleter,
  ) {}

  /**
   * After the checks, debits the balance first, because only the balance can still refuse the void. After the balance is debited, the note
   * is always voided, by this process or another.
   */
  async execute({
    context,
    invoiceId,
    creditNoteId,
    reason,
  }: VoidCreditNote): Promise<CreditNoteWithInvoice> {
    const found = await this.invoices.require(context.workspaceId, invoiceId);
    const note = requireCreditNote(creditNoteId, found.creditNotes);
    // If this command is repeated, the note is void already. The stream recognizes the repetition by its command id.
    if (creditNoteStatusOf(note) === 'issued') {
      requireVoidableCreditNote(note, found);
      requireNoPaymentInProgress(found);
    }
    // The ledger posts a note and its void under the number of the note, so the note must have its number first.
    await this.creditNotes.numberAndRefund(context, invoiceId, creditNoteId);
    await this.creditNotes.debitBalance(context, found, note, reason);
    const id = aggregateId(context.workspaceId, invoiceId);
    const command = { type: 'VoidCreditNote', at: context.now, invoiceId, creditNoteId, reason } as const;
    const { state } = await this.aggregates.execute(invoiceDecider, id, context, command);
    return { invoice: state, note: requireCreditNote(creditNoteId, state.creditNotes) };
  }
}
