import { deriveId, deriveUuid, type Instant } from '#libs/kernel/core';
import { systemContext, type CommandContext } from '#libs/kernel/event-store';
import { walletDecider } from './decider.js';
import type { WalletEvent } from './events.js';
import type { WalletRow, WalletRowKey } from './wallet-rows.js';
import { walletId, type Wallet } from './wallet.js';

/**
 * Returns the events that record the draws in `settling` of a wallet's row. `state` is the newest state of the wallet. `inTrial` tells
 * whether the draws are of a trial. Returns no event if the stream already contains the draws.
 */
export function settlementEvents(
  { workspaceId, customerId, creditType, settling, settlingTo }: WalletRow,
  state: Wallet | undefined,
  at: Instant,
  inTrial: boolean,
): WalletEvent[] {
  if (settling === null) return [];
  const key = { customerId, creditType };
  const command = { type: 'DrawDownCredits', draws: settling, upTo: settlingTo!, inTrial } as const;
  const topUpBlockId = topUpBlockIdOf(walletId(workspaceId, key), settlingTo!);
  return walletDecider.decide({ ...command, ...key, at, topUpBlockId }, state);
}

/**
 * The command context of a settlement at an instant. The command id contains the instant, because settlements at different instants can
 * have different events, such as a top-up. If the same draws are settled at two different instants, the second settlement expects an old
 * revision of the stream, so the event store refuses it. With equal ids, the event store would treat the second settlement as a repetition
 * of the first one.
 */
export function settlementCommandContext(row: WalletRow, now: Instant): CommandContext {
  return walletCommandContext(row, `up to ${row.settlingTo!} at ${now}`, now);
}

/**
 * Returns the command context of an event that the system itself appends to a wallet's stream. `name` identifies the event within the
 * wallet.
 */
export function walletCommandContext(key: WalletRowKey, name: string, now: Instant): CommandContext {
  const { workspaceId } = key;
  return systemContext({
    workspaceId,
    now,
    process: 'credits',
    commandId: deriveUuid('wallet', walletId(workspaceId, key), name),
  });
}

/** Returns the id of the block that an automatic top-up buys. `cause` identifies the command or the settlement that causes the top-up. */
export function topUpBlockIdOf(wallet: string, cause: string): string {
  return deriveId('blk', wallet, 'top-up', cause);
}
