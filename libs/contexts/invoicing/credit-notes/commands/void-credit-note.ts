import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import { Invoices } from '../../invoices.js';
import { requireCreditNote, statusOf } from '../credit-note.js';
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

  /** The balance comes first, since it alone can refuse; from then on the note becomes void, whoever brings it to its end. */
  async execute({ context, invoiceId, creditNoteId, reason }: VoidCreditNote): Promise<IssuedCreditNote> {
    const found = await this.invoices.require(context.workspaceId, invoiceId);
    const note = requireCreditNote(creditNoteId, found.creditNotes);
    // Whether this very command voided it before, the streams know.
    if (statusOf(note) === 'issued') requireVoidable(note, found);
    // In the books a note stands under its number, and so does its void.
    await this.creditNotes.complete(context, invoiceId, creditNoteId);
    await this.creditNotes.debitBalance(context, found, note, reason);
    const command = { type: 'VoidCreditNote', at: context.now, invoiceId, creditNoteId, reason } as const;
    const { state } = await this.invoices.execute(context, command);
    return { invoice: state, note: requireCreditNote(creditNoteId, state.creditNotes) };
  }
}
