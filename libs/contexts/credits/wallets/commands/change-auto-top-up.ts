import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { Customers } from '#libs/contexts/customers';
import type { CommandContext } from '#libs/kernel/event-store';
import { CreditTypes } from '../../credit-types/credit-types.js';
import { changedAutoTopUp, type AutoTopUpChange } from '../decisions/auto-top-up.js';
import { requireCostAboveZero } from '../decisions/purchase-credits.js';
import type { AutoTopUpSettings } from '../events.js';
import { describeDiscountedTopUp, isBelowListPrice } from '../proposed-grant.js';
import { WalletReader } from '../wallet-reader.js';
import { WalletStore } from '../wallet-store.js';
import type { Wallet, WalletKey } from '../wallet.js';

/**
 * Changes the automatic top-up of a wallet, or removes the top-up if the change is null. Settings that the change does not name keep their
 * values, or get their defaults the first time. Returns the wallet. If the top-up is enabled and the balance is at or below the threshold,
 * credits are bought at once. Nothing is bought if the settings stay the same, while another purchase is unpaid, or if the month already
 * has `maxPerMonth` top-ups. Throws NotFound for an unknown customer or credit type. Throws NotFound if the wallet has no automatic top-up
 * to remove. Throws InvalidRequest (`nothing_to_pay`) if the price of the credits rounds to zero. Throws Conflict (`auto_top_up_changed`)
 * if the settings are changed at the same time. Throws ActionHeld if a top-up below the price of the credit type needs approval.
 */
export class ChangeAutoTopUp extends Command<Wallet> {
  constructor(
    readonly context: CommandContext,
    readonly wallet: WalletKey,
    readonly change: AutoTopUpChange | null,
  ) {
    super();
  }
}

/** The data of an automatic top-up in its approval request. */
interface HeldTopUp {
  wallet: WalletKey;
  settings: Omit<AutoTopUpSettings, 'currency'>;
}

@CommandHandler(ChangeAutoTopUp)
export class ChangeAutoTopUpHandler implements ICommandHandler<ChangeAutoTopUp> {
  constructor(
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldTopUp, Wallet>({
      kind: 'change-auto-top-up',
      createCommand: (context, { wallet, settings }) => new ChangeAutoTopUp(context, wallet, settings),
      propose: (context, data) => this.propose(context, data),
      resourceOf: ({ creditType: id }) => ({ type: 'wallet', id }),
    });
  }

  async execute({ context, wallet, change }: ChangeAutoTopUp): Promise<Wallet> {
    const { workspaceId } = context;
    const key = { workspaceId, ...wallet };
    const [, { currency, unitPrice }] = await Promise.all([
      this.customers.require(workspaceId, wallet.customerId),
      this.creditTypes.require(workspaceId, wallet.creditType),
    ]);
    if (!change) return (await this.wallets.change(context, key, { type: 'RemoveAutoTopUp' })).wallet;
    const { autoTopUp: madeFrom } = await this.walletReader.read(key);
    const settings = changedAutoTopUp(change, madeFrom);
    requireCostAboveZero(settings.credits, settings.unitPrice ?? unitPrice, currency);
    await this.gate.requireApprovalIfNeeded(context, 'credit.grant', () =>
      this.propose(context, { wallet, settings }),
    );
    const autoTopUp = { ...settings, currency };
    // Another change could have put another price in the meantime, which nobody approved.
    const changed = await this.wallets.change(context, key, { type: 'SetAutoTopUp', autoTopUp, madeFrom });
    return changed.wallet;
  }

  /** Describes a top-up below the list price for its approval request. Undefined for another top-up, and if the command has run already. */
  private async propose(
    context: CommandContext,
    { wallet, settings }: HeldTopUp,
  ): Promise<ProposedAction | undefined> {
    const { workspaceId } = context;
    const terms = await this.creditTypes.require(workspaceId, wallet.creditType);
    if (!settings.enabled || !isBelowListPrice(settings, terms)) return undefined;
    if (await this.wallets.hasRunCommand(context, { workspaceId, ...wallet })) return undefined;
    const command = { kind: 'change-auto-top-up', data: { wallet, settings } };
    return { ...describeDiscountedTopUp(wallet, settings, terms), command };
  }
}
