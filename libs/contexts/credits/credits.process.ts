import { Injectable } from '@nestjs/common';
import { AggregateStore } from '#libs/kernel/event-store';
import { ProcessManager, reactTo, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { WalletEvent } from './wallets/events.js';
import { walletDecider, walletId, type WalletKey } from './wallets/wallet.js';

interface Tasks {
  'expire-block': WalletKey & { blockId: string };
}

/** Ends what is left of a block of credits at its expiry. */
@Injectable()
export class CreditsProcess extends ProcessManager<Tasks> {
  readonly name = 'credits';

  constructor(
    clock: WorkspaceClock,
    private readonly aggregates: AggregateStore,
  ) {
    super(clock);
  }

  override readonly react = reactTo<WalletEvent, Tasks>({
    CreditsGranted: ({ data: { customerId, creditType, blockId, expiresAt } }) =>
      expiresAt === null
        ? []
        : [{ name: 'expire-block', payload: { customerId, creditType, blockId }, dueAt: expiresAt }],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'expire-block': async (block, context) => {
      const id = walletId(context.workspaceId, block);
      const command = { type: 'ExpireBlock', ...block, at: context.now } as const;
      await this.aggregates.execute(walletDecider, id, context, command);
    },
  };
}
