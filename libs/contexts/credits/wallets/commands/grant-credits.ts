import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalGate, HeldCommandRegistry, type ProposedAction } from '#libs/contexts/approvals';
import { Customers } from '#libs/contexts/customers';
import { deriveId, deriveUuid } from '#libs/kernel/core';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { CreditTypes } from '../../credit-types/credit-types.js';
import { WalletReader } from '../wallet-reader.js';
import { WalletStore } from '../wallet-store.js';
import { describeProposedGrant } from '../proposed-grant.js';
import type { CreditGrantRequest } from '../decisions/wallet-command.js';
import { toWalletBlock, walletId, type WalletBlock, type WalletKey } from '../wallet.js';

/**
 * Grants credits to a customer, and returns the block as it was granted. A second grant with the same `idempotencyKey` in the wallet
 * returns the first block, even after a long time. Throws NotFound for an unknown customer or credit type. Throws InvalidRequest if the
 * credits have expired already, expire before they become usable, or have another currency than the credit type. Throws StateConflict
 * (`too_many_blocks`) if the wallet has the maximum number of blocks. Throws ActionHeld if the grant needs approval.
 */
export class GrantCredits extends Command<WalletBlock> {
  constructor(
    readonly context: CommandContext,
    readonly wallet: WalletKey,
    readonly grant: CreditGrantRequest,
    readonly idempotencyKey?: string,
  ) {
    super();
  }
}

/** The data of a grant in its approval request. */
interface HeldGrant {
  wallet: WalletKey;
  grant: CreditGrantRequest;
  idempotencyKey: string | null;
}

@CommandHandler(GrantCredits)
export class GrantCreditsHandler implements ICommandHandler<GrantCredits> {
  constructor(
    private readonly walletReader: WalletReader,
    private readonly wallets: WalletStore,
    private readonly customers: Customers,
    private readonly creditTypes: CreditTypes,
    private readonly gate: ApprovalGate,
    held: HeldCommandRegistry,
  ) {
    held.register<HeldGrant, WalletBlock>({
      kind: 'grant-credits',
      createCommand: (context, data) =>
        new GrantCredits(context, data.wallet, data.grant, data.idempotencyKey ?? undefined),
      propose: (context, data) =>
        this.propose(context, data.wallet, data.grant, data.idempotencyKey ?? undefined),
      resourceOf: ({ blockId: id }) => ({ type: 'credit_block', id }),
    });
  }

  async execute({ context, wallet, grant, idempotencyKey }: GrantCredits): Promise<WalletBlock> {
    const { workspaceId } = context;
    const id = walletId(workspaceId, wallet);
    const { blockId, keyed } = identify(context, wallet, idempotencyKey);
    const walletKey = { workspaceId, ...wallet };
    if (!(await this.wallets.isRepeated(keyed, walletKey)))
      await this.customers.require(workspaceId, wallet.customerId);
    const terms = await this.creditTypes.require(workspaceId, wallet.creditType);
    const change = { type: 'GrantCredits', blockId, grant, terms } as const;
    await this.gate.requireApprovalIfNeeded(keyed, 'credit.grant', () =>
      this.propose(context, wallet, grant, idempotencyKey),
    );
    const changed = await this.wallets.change(keyed, walletKey, change);
    const event = await this.wallets.firstEventOfChange(walletKey, changed);
    if (event.type !== 'CreditsGranted')
      throw new Error(`Event ${changed.revision} of the wallet ${id} is not a grant of credits`);
    return toWalletBlock(event.data);
  }

  /** Describes the grant for its approval request. Undefined if the command has run already. Throws the errors of the wallet. */
  private async propose(
    context: CommandContext,
    wallet: WalletKey,
    grant: CreditGrantRequest,
    idempotencyKey: string | undefined,
  ): Promise<ProposedAction | undefined> {
    const { workspaceId } = context;
    const { blockId, keyed } = identify(context, wallet, idempotencyKey);
    const walletKey = { workspaceId, ...wallet };
    if (await this.wallets.hasRunCommand(keyed, walletKey)) return undefined;
    const terms = await this.creditTypes.require(workspaceId, wallet.creditType);
    const change = { type: 'GrantCredits', blockId, grant, terms } as const;
    const before = await this.walletReader.read(walletKey);
    const data: HeldGrant = { wallet, grant, idempotencyKey: idempotencyKey ?? null };
    const proposed = describeProposedGrant(before, { change, terms, at: context.now });
    return { ...proposed, command: { kind: 'grant-credits', data } };
  }
}

/** Returns the id of the granted block, and the context of the command. Both are the same for each grant with the same idempotency key. */
function identify(
  context: CommandContext,
  wallet: WalletKey,
  idempotencyKey: string | undefined,
): { blockId: string; keyed: CommandContext } {
  if (idempotencyKey === undefined) return { blockId: idFor(context, 'blk'), keyed: context };
  const key = ['grant', walletId(context.workspaceId, wallet), idempotencyKey];
  // The ids of all commands on a wallet are kept, so a key is recognised for ever.
  return {
    blockId: deriveId('blk', ...key),
    keyed: { ...context, commandId: deriveUuid(...key), mayRepeat: true },
  };
}
