import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { WalletEvent } from '#libs/contexts/credits';
import type { ProposedAction } from '#libs/contexts/approvals';
import {
  CreditNotePreviewer,
  Invoices,
  IssueCreditNote,
  toCreditableInvoice,
} from '#libs/contexts/invoicing';
import { creditableLineAmount } from '#libs/rating';
import { Decimal, deriveUuid, moneyString, roundToCurrency } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';

type CreditsVoided = Extract<WalletEvent, { type: 'CreditsVoided' }>['data'];

/** Gives back the price of voided credits, with a credit note on the invoice that paid for them. */
@Injectable()
export class VoidedBlockCreditNoteIssuer {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
    private readonly previewer: CreditNotePreviewer,
  ) {}

  /**
   * Issues the credit note for the voided part of a block. Does nothing if the credit note exists already, if none was requested, or if the
   * price of the credits rounds to zero.
   */
  async issueCreditNote(context: CommandContext, voided: CreditsVoided): Promise<void> {
    const note = await this.noteFor(context.workspaceId, voided);
    if (!note) return;
    await this.commands.execute(new IssueCreditNote(onceFor(context, voided), note.invoiceId, note.request));
  }

  /**
   * Returns the data that an approval request shows about the credit note that the void would issue. Returns undefined if the void would
   * issue no credit note. Throws an error if the invoice refuses the credit note. Throws StateConflict (`no_payment_gateway`) if the credit
   * note would refund a card and the workspace has no gateway.
   */
  async previewCreditNote(
    context: CommandContext,
    voided: CreditsVoided,
  ): Promise<Omit<ProposedAction, 'command'> | undefined> {
    const note = await this.noteFor(context.workspaceId, voided);
    if (!note) return undefined;
    const once = onceFor(context, voided);
    await this.previewer.requireGatewayForRefund(once, note.invoiceId, note.request);
    return this.previewer.propose(once, note.invoiceId, note.request);
  }

  private async noteFor(workspaceId: string, { creditNote, amount, reason }: CreditsVoided) {
    if (!creditNote) return undefined;
    const { invoiceId, blockAmount } = creditNote;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    const { currency } = invoice;
    const [line] = toCreditableInvoice(invoice).lines;
    const price = new Decimal(line!.amount).times(amount).dividedBy(blockAmount);
    // What went back at the payment processor was given back already.
    const hasReturns = (invoice.gatewayRefunds ?? invoice.disputes) !== undefined;
    const most = hasReturns ? creditableLineAmount(line!, currency) : price;
    const credited = roundToCurrency(Decimal.min(price, most), currency);
    if (credited.isZero()) return undefined;
    const request = {
      reason: 'order_change',
      memo: reason,
      target: null,
      ofVoidedCredits: true,
      credit: { lines: [{ id: line!.id, amount: moneyString(credited, currency) }] },
    } as const;
    return { invoiceId, request };
  }
}

/**
 * Returns the command context of a block's credit note. The command id is the same in every process, so that only one credit note is
 * issued.
 */
function onceFor(context: CommandContext, { draws }: CreditsVoided): CommandContext {
  const commandId = deriveUuid('voided-credits', context.workspaceId, draws[0]!.blockId);
  return { ...context, commandId, idTime: undefined, mayRepeat: true };
}
