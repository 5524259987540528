import { Injectable } from '@nestjs/common';
import { ProcessManager, reactByEventType, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { GrantedBlock, WalletEvent } from './wallets/events.js';
import { WalletStore } from './wallets/wallet-store.js';
import type { WalletKey } from './wallets/wallet.js';

interface Tasks {
  'expire-block': WalletKey & { blockId: string };
}

/** Expires the remaining credits of a block at the block's expiry. */
@Injectable()
export class CreditExpiryProcess extends ProcessManager<Tasks> {
  readonly name = 'credits';

  constructor(
    clock: WorkspaceClock,
    private readonly wallets: WalletStore,
  ) {
    super(clock);
  }

  override readonly react = reactByEventType<WalletEvent, Tasks>({
    // Blocks of allowances are left out. They end when the next interval begins, because a part may roll over: see
    // contexts/credit-allowances.
    CreditsGranted: ({ data }) => (data.allowance ? [] : expireTasks(data)),
    CreditPurchaseActivated: ({ data }) => expireTasks(data),
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'expire-block': async (block, context) => {
      const { workspaceId } = context;
      const { blockId } = block;
      await this.wallets.change(context, { workspaceId, ...block }, { type: 'ExpireBlock', blockId });
    },
  };
}

function expireTasks({
  customerId,
  creditType,
  blockId,
  expiresAt,
}: WalletKey & GrantedBlock): TaskRequest<Tasks>[] {
  if (expiresAt === null) return [];
  return [{ name: 'expire-block', payload: { customerId, creditType, blockId }, dueAt: expiresAt }];
}
