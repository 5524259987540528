import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import { Invoices } from '../../invoices.js';
import { requireCreditNote, creditNoteStatusOf } from '../credit-note.js';
import { CreditNotes } from '../credit-notes.js';
import { requireVoidable } from '../require-voidable.js';
import type { IssuedCreditNote } from './issue-credit-note.js';

/**
 * Voids a credit note that was issued by mistake. The amount that it took off the invoice is due again. The amount that it added to the
 * customer's balance is taken out again. Refused as `requireVoidable` says; Conflict (`balance_used`) if the balance does not hold the
 * amount any more.
 */
export class VoidCreditNote extends Command<IssuedCreditNote> {
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
    private readonly invoices: Invoices,
    private readonly creditNotes: CreditNotes,
  ) {}

  /** Debits the balance first, since only the balance can refuse. After that the note is always voided, by this process or another. */
  async execute({ context, invoiceId, creditNoteId, reason }: VoidCreditNote): Promise<IssuedCreditNote> {
    const found = await this.invoices.require(context.workspaceId, invoiceId);
    const note = requireCreditNote(creditNoteId, found.creditNotes);
    // A repetition of this command finds a void note. The stream recognizes the repetition by its command id.
    if (creditNoteStatusOf(note) === 'issued') requireVoidable(note, found);
    // The ledger posts a note and its void under the note's number, so the note needs its number first.
    await this.creditNotes.complete(context, invoiceId, creditNoteId);
    await this.creditNotes.debitBalance(context, found, note, reason);
    const command = { type: 'VoidCreditNote', at: context.now, invoiceId, creditNoteId, reason } as const;
    const { state } = await this.invoices.execute(context, command);
    return { invoice: state, note: requireCreditNote(creditNoteId, state.creditNotes) };
  }
}
