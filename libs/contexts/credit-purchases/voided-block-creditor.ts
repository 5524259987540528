import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { WalletEvent } from '#libs/contexts/credits';
import { Invoices, IssueCreditNote } from '#libs/contexts/invoicing';
import { Decimal, deriveUuid, moneyString, roundToCurrency } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';

type CreditsVoided = Extract<WalletEvent, { type: 'CreditsVoided' }>['data'];

/** Gives back the price of voided credits, with a credit note on the invoice that paid for them. */
@Injectable()
export class VoidedBlockCreditor {
  constructor(
    private readonly commands: CommandBus,
    private readonly invoices: Invoices,
  ) {}

  /** Issues the credit note for the voided part of a block. It does nothing if it was issued already, or if none was asked for. */
  async credit(context: CommandContext, { creditNote, draws, amount, reason }: CreditsVoided): Promise<void> {
    if (!creditNote) return;
    const { invoiceId, blockAmount } = creditNote;
    const { lines, currency } = await this.invoices.require(context.workspaceId, invoiceId);
    const [line] = lines;
    const price = new Decimal(line!.amount).times(amount).dividedBy(blockAmount);
    const credited = roundToCurrency(price, currency);
    if (credited.isZero()) return;
    const request = {
      reason: 'order_change',
      memo: reason,
      target: null,
      ofVoidedCredits: true,
      credit: { lines: [{ id: line!.id, amount: moneyString(credited, currency) }] },
    } as const;
    // The command id is the same in every process, so that one note is issued.
    const commandId = deriveUuid('voided-credits', context.workspaceId, draws[0]!.blockId);
    const once = { ...context, commandId, idsAt: undefined, mayRepeat: true };
    await this.commands.execute(new IssueCreditNote(once, invoiceId, request));
  }
}
