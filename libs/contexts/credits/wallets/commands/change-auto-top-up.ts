import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Customers } from '#libs/contexts/customers';
import type { CommandContext } from '#libs/kernel/event-store';
import { CreditTypes } from '../../credit-types/credit-types.js';
import type { AutoTopUpSettings } from '../events.js';
import { requireCostAboveZero } from '../decisions/purchase-credits.js';
import { WalletStore } from '../wallet-store.js';
import type { Wallet, WalletKey } from '../wallet.js';

/**
 * Sets the automatic top-up of a wallet, or removes the top-up if the settings are null. Returns the wallet. If the top-up is enabled and
 * the balance is at or below the threshold, credits are bought at once. Nothing is bought if the settings stay the same, while another
 * purchase is unpaid, or if the month already has `maxPerMonth` top-ups. Throws NotFound for an unknown customer or credit type. Throws
 * NotFound if the wallet has no automatic top-up to remove. Throws InvalidRequest (`nothing_to_pay`) if the price of the credits rounds to
 * zero.
 */
export class ChangeAutoTopUp extends Command<Wallet> {
  constructor(
    readonly context: CommandContext,
    readonly wallet: WalletKey,
    readonly settings: Omit<AutoTopUpSettings, 'currency'> | null,
  ) {
    super();
  }
}

@CommandHandler(ChangeAutoTopUp)
export class ChangeAutoTopUpHandler implements ICommandHandler<ChangeAutoTopUp> {
  constructor(
    private readonly wallets: WalletStore,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
  ) {}

  async execute({ context, wallet, settings }: ChangeAutoTopUp): Promise<Wallet> {
    const { workspaceId } = context;
    const [, { currency, unitPrice }] = await Promise.all([
      this.customers.require(workspaceId, wallet.customerId),
      this.creditTypes.require(workspaceId, wallet.creditType),
    ]);
    if (settings) requireCostAboveZero(settings.credits, settings.unitPrice ?? unitPrice, currency);
    const key = { workspaceId, ...wallet };
    const changed = settings
      ? await this.wallets.change(context, key, {
          type: 'SetAutoTopUp',
          autoTopUp: { ...settings, currency },
        })
      : await this.wallets.change(context, key, { type: 'RemoveAutoTopUp' });
    return changed.wallet;
  }
}
