import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import type { DecimalString } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { CreditTypes } from '../../credit-types/credit-types.js';
import { WalletStore, type WalletChangeResult } from '../wallet-store.js';
import type { WalletKey } from '../wallet.js';

/**
 * Takes credits back from a wallet, and returns the change of the wallet. Takes the remaining credits of one block, or an amount from the
 * usable blocks in the order in which usage draws them. Throws NotFound for an unknown customer or credit type, or for a block without
 * remaining credits. Throws InvalidRequest (`insufficient_credits`) for an amount above the balance. Throws StateConflict
 * (`credits_expired`) for a block that has expired.
 */
export class VoidCredits extends Command<WalletChangeResult> {
  constructor(
    readonly context: CommandContext,
    readonly wallet: WalletKey,
    readonly credits: { blockId: string; creditNote: boolean } | { amount: DecimalString },
    readonly reason: string | null,
  ) {
    super();
  }
}

@CommandHandler(VoidCredits)
export class VoidCreditsHandler implements ICommandHandler<VoidCredits> {
  constructor(
    private readonly wallets: WalletStore,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
  ) {}

  async execute({ context, wallet, credits: what, reason }: VoidCredits): Promise<WalletChangeResult> {
    const { workspaceId } = context;
    await Promise.all([
      this.requireCustomer(context, wallet),
      this.creditTypes.require(workspaceId, wallet.creditType),
    ]);
    const change =
      'blockId' in what
        ? ({ type: 'VoidBlock', reason, ...what } as const)
        : ({ type: 'VoidCredits', reason, ...what } as const);
    return this.wallets.change(context, { workspaceId, ...wallet }, change);
  }

  /** Throws NotFound if the customer does not exist or is deleted, except if the command has run before. */
  private async requireCustomer(context: CommandContext, wallet: WalletKey): Promise<void> {
    const { workspaceId } = context;
    if (await this.wallets.isRepeated(context, { workspaceId, ...wallet })) return;
    await this.customers.require(workspaceId, wallet.customerId);
  }
}
