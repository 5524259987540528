import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { InvoicePayments } from '#libs/contexts/collection';
import {
  CreditTypes,
  describeDiscountedPurchase,
  isBelowListPrice,
  walletDecider,
  walletId,
  WalletReader,
  WalletStore,
  type CreditPurchaseRequest,
  type UnpaidPurchase,
  type WalletBlock,
  type WalletKey,
} from '#libs/contexts/credits';
import { Customers } from '#libs/contexts/customers';
import type { Invoice } from '#libs/contexts/invoicing';
import { PaymentGateways } from '#libs/contexts/payments';
import { deriveId, deriveUuid, StateConflict } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { PurchaseCompleter } from '../purchase-completer.js';

/**
 * A purchase with its invoice. `block` is the block of the bought credits in the wallet. `block` is undefined if the purchase is not paid,
 * or if none of its credits are left.
 */
export interface CreditPurchaseResult {
  /** The purchase as it was recorded, before it was paid. */
  readonly purchase: UnpaidPurchase;
  readonly invoice: Invoice;
  readonly block: WalletBlock | undefined;
}

/**
 * Sells credits to a customer. A second purchase with the same `idempotencyKey` in the wallet returns the first purchase, even after a long
 * time. A declined charge does not throw. The invoice then stays open, and its credits become usable when the invoice is paid.
 * Throws NotFound for an unknown customer or credit type. Throws InvalidRequest for fields that contradict each other or the credit type.
 * Throws InvalidRequest also if a charge is requested and the customer has no card, or the workspace has no gateway. Throws ActionHeld if a
 * purchase below the price of the credit type needs approval.
 */
export class PurchaseCredits extends Command<CreditPurchaseResult> {
  constructor(
    readonly context: CommandContext,
    readonly wallet: WalletKey,
    readonly purchase: CreditPurchaseRequest,
    readonly idempotencyKey?: string,
  ) {
    super();
  }
}

/** The data of a purchase in its approval request. */
interface HeldPurchase {
  wallet: WalletKey;
  purchase: CreditPurchaseRequest;
  idempotencyKey: string | null;
}

@CommandHandler(PurchaseCredits)
export class PurchaseCreditsHandler implements ICommandHandler<PurchaseCredits> {
  constructor(
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
    private readonly gateways: PaymentGateways,
    private readonly payments: InvoicePayments,
    private readonly completer: PurchaseCompleter,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldPurchase, CreditPurchaseResult>({
      kind: 'purchase-credits',
      createCommand: (context, data) =>
        new PurchaseCredits(context, data.wallet, data.purchase, data.idempotencyKey ?? undefined),
      propose: (context, data) =>
        this.propose(identify(context, data.wallet, data.idempotencyKey ?? undefined).keyed, data),
      resourceOf: ({ purchase: { blockId: id } }) => ({ type: 'credit_block', id }),
    });
  }

  async execute(command: PurchaseCredits): Promise<CreditPurchaseResult> {
    const { context, wallet } = command;
    const key = { workspaceId: context.workspaceId, ...wallet };
    const purchase = await this.record(command);
    const invoice = await this.completer.complete(context, wallet, purchase);
    const { blocks } = await this.walletReader.read(key);
    return { purchase, invoice, block: blocks.find(({ blockId }) => blockId === purchase.blockId) };
  }

  /** Records the purchase in the wallet, and returns the purchase. */
  private async record({ context, wallet, purchase, idempotencyKey }: PurchaseCredits) {
    const { workspaceId } = context;
    const walletKey = { workspaceId, ...wallet };
    const { blockId, keyed } = identify(context, wallet, idempotencyKey);
    if (!(await this.wallets.isRepeated(keyed, walletKey))) {
      await this.customers.require(workspaceId, wallet.customerId);
      if (purchase.collection === 'charge') await this.requireCard(workspaceId, wallet.customerId);
    }
    const terms = await this.creditTypes.require(workspaceId, wallet.creditType);
    const change = { type: 'PurchaseCredits', blockId, purchase, terms } as const;
    await this.gate.requireApprovalIfNeeded(keyed, 'credit.grant', () =>
      this.propose(keyed, { wallet, purchase, idempotencyKey: idempotencyKey ?? null }),
    );
    const changed = await this.wallets.change(keyed, walletKey, change);
    const event = await this.wallets.firstEventOfChange(walletKey, changed);
    if (event.type !== 'CreditPurchaseCreated')
      throw new Error(`Event ${changed.revision} of a wallet of ${wallet.customerId} is not a purchase`);
    return { ...event.data, createdAt: event.data.at };
  }

  /**
   * Describes a purchase below the list price for its approval request. Undefined for another purchase, and if the command has run already.
   * Throws the errors of the wallet.
   */
  private async propose(context: CommandContext, data: HeldPurchase): Promise<ProposedAction | undefined> {
    const { wallet, purchase } = data;
    const { workspaceId } = context;
    const terms = await this.creditTypes.require(workspaceId, wallet.creditType);
    const { amount: credits, unitPrice = terms.unitPrice, description } = purchase;
    if (!isBelowListPrice({ credits, unitPrice }, terms)) return undefined;
    const walletKey = { workspaceId, ...wallet };
    if (await this.wallets.hasRunCommand(context, walletKey)) return undefined;
    const before = await this.walletReader.read(walletKey);
    const change = { type: 'PurchaseCredits', blockId: '', purchase, terms } as const;
    walletDecider.decide({ ...change, ...wallet, at: context.now, topUpBlockId: '' }, before);
    const proposed = describeDiscountedPurchase(wallet, { credits, unitPrice, description }, terms);
    return { ...proposed, command: { kind: 'purchase-credits', data } };
  }

  /** Checks that the customer has a card and the workspace has a gateway, before anything is recorded. */
  private async requireCard(workspaceId: string, customerId: string): Promise<void> {
    await this.gateways.require(workspaceId);
    if (!(await this.payments.defaultPaymentMethod(workspaceId, customerId)))
      throw new StateConflict(
        'no_payment_method',
        `Customer "${customerId}" has no payment method; add one with POST /v1/customers/${customerId}/payment-methods, or set collection to send_invoice`,
      );
  }
}

/** Returns the id of the bought block, and the context of the command. Both are the same for each purchase with the same idempotency key. */
function identify(
  context: CommandContext,
  wallet: WalletKey,
  idempotencyKey: string | undefined,
): { blockId: string; keyed: CommandContext } {
  if (idempotencyKey === undefined) return { blockId: idFor(context, 'blk'), keyed: context };
  const key = ['purchase', walletId(context.workspaceId, wallet), idempotencyKey];
  // The ids of all commands on a wallet are kept, so a key is recognised for ever.
  return {
    blockId: deriveId('blk', ...key),
    keyed: { ...context, commandId: deriveUuid(...key), mayRepeat: true },
  };
}
