import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  CreditTypes,
  VoidCredits,
  walletDecider,
  WalletReader,
  WalletStore,
  type UnpaidPurchase,
  type Wallet,
  type WalletKey,
} from '#libs/contexts/credits';
import { Customers } from '#libs/contexts/customers';
import { Invoices, VoidInvoice } from '#libs/contexts/invoicing';
import { StateConflict } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { PurchaseCompleter } from '../purchase-completer.js';
import { VoidedBlockCreditNoteIssuer } from '../voided-block-credit-note-issuer.js';

/**
 * Takes back the remaining credits of a block, and returns the wallet. If the block is not paid yet, its invoice is voided. A repeated void
 * of an unpaid block does nothing, and so does a repetition of the same command. With `creditNote`, a credit note on the invoice of a paid
 * block gives back the price of the remaining credits. `creditNote` has no effect on an unpaid block. Throws NotFound for an unknown
 * customer or credit type, and for a block without remaining credits. Throws StateConflict (`credits_expired`) for a paid block that has
 * expired. Throws InvalidRequest if the invoice of an unpaid block is partly paid (`invoice_partly_paid`), is being paid
 * (`payment_in_progress`) or was just paid (`purchase_paid`). Throws InvalidRequest if a credit note is requested for a block that was not
 * bought. Throws the errors of IssueCreditNote if the credit note is refused, and takes no credits then. Throws ActionHeld if the credit
 * note or the void of the invoice needs approval.
 */
export class VoidCreditBlock extends Command<Wallet> {
  constructor(
    readonly context: CommandContext,
    readonly wallet: WalletKey,
    readonly blockId: string,
    readonly options: { reason: string | null; creditNote: boolean },
  ) {
    super();
  }
}

type HeldVoid = Pick<VoidCreditBlock, 'wallet' | 'blockId' | 'options'>;

@CommandHandler(VoidCreditBlock)
export class VoidCreditBlockHandler implements ICommandHandler<VoidCreditBlock> {
  constructor(
    private readonly commands: CommandBus,
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
    private readonly invoices: Invoices,
    private readonly completer: PurchaseCompleter,
    private readonly creditor: VoidedBlockCreditNoteIssuer,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldVoid, Wallet>({
      kind: 'void-credit-block',
      createCommand: (context, { wallet, blockId, options }) =>
        new VoidCreditBlock(context, wallet, blockId, options),
      propose: (context, data) => this.propose(context, data),
      resourceOf: ({ creditType: id }) => ({ type: 'wallet', id }),
    });
  }

  async execute({ context, wallet: key, blockId, options }: VoidCreditBlock): Promise<Wallet> {
    const { workspaceId } = context;
    if (!(await this.wallets.isRepeated(context, { workspaceId, ...key })))
      await this.customers.require(workspaceId, key.customerId);
    await this.creditTypes.require(workspaceId, key.creditType);
    const before = await this.walletReader.read({ workspaceId, ...key });
    const unpaid = before.unpaid.find((one) => one.blockId === blockId);
    if (unpaid) {
      await this.voidUnpaid(context, key, unpaid, options.reason);
      return this.walletReader.read({ workspaceId, ...key });
    }
    // An earlier attempt of this command may have voided the block before its process stopped.
    if (await this.completer.hasEndedPurchase(context, key, blockId)) return before;
    const { reason, creditNote } = options;
    if (creditNote) {
      const propose = () => this.propose(context, { wallet: key, blockId, options });
      await this.gate.requireApprovalIfNeeded(context, 'invoice.credit_note', propose);
      // The gate asks for the proposal only if a policy is enabled. The credits must not be taken if the invoice refuses the credit note.
      await propose();
    }
    const voiding = new VoidCredits(context, key, { blockId, creditNote }, reason);
    const changed = await this.commands.execute(voiding);
    const event = await this.wallets.firstEventOfChange({ workspaceId, ...key }, changed);
    if (event.type === 'CreditsVoided')
      await this.creditor.issueCreditNote(followUpContext(context, 'credit'), event.data);
    return changed.wallet;
  }

  /**
   * Describes the void of a paid block for its approval request, by its credit note. Returns undefined if the void would issue none, or has
   * run already. Throws the errors of the void and of its credit note.
   */
  private async propose(context: CommandContext, data: HeldVoid): Promise<ProposedAction | undefined> {
    const { wallet: key, blockId, options } = data;
    const walletKey = { workspaceId: context.workspaceId, ...key };
    if (await this.wallets.hasRunCommand(context, walletKey)) return undefined;
    const before = await this.walletReader.read(walletKey);
    const change = { type: 'VoidBlock', blockId, reason: options.reason, creditNote: true } as const;
    const [event] = walletDecider.decide({ ...change, ...key, at: context.now, topUpBlockId: '' }, before);
    if (event?.type !== 'CreditsVoided') return undefined;
    const proposed = await this.creditor.previewCreditNote(context, event.data);
    return proposed && { ...proposed, command: { kind: 'void-credit-block', data } };
  }

  /**
   * Voids an unpaid purchase. The invoice is voided first. If the invoice is being paid or is partly paid, the void fails and the purchase
   * stays as it is. If the invoice was just paid, the void fails and the credits become usable.
   */
  private async voidUnpaid(
    context: CommandContext,
    key: WalletKey,
    purchase: UnpaidPurchase,
    reason: string | null,
  ): Promise<void> {
    const { invoiceId, blockId } = purchase;
    await this.completer.createInvoice(context, key, purchase);
    try {
      await this.commands.execute(
        new VoidInvoice(followUpContext(context, 'void-invoice'), invoiceId, reason),
      );
    } catch (error) {
      const invoice = await this.invoices.require(context.workspaceId, invoiceId);
      if (invoice.status === 'paid') {
        await this.completer.makeCreditsUsable(context, key, invoice);
        throw new StateConflict(
          'purchase_paid',
          'The credits have just been paid, so they can be used now; void the block again to take them back',
        );
      }
      if (invoice.status !== 'void') throw error;
    }
    await this.completer.endVoidedPurchase(context, key, blockId);
  }
}
