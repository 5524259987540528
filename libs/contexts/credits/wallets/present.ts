import { jsonNumber, type Instant } from '#libs/kernel/core';
import { sortByBurnOrder } from '#libs/rating';
import { balanceAt, type Wallet, type WalletBlock, type WalletKey } from './wallet.js';

/** `scheduled`: the credits cannot be used yet. `active`: they can be used. */
export const BLOCK_STATUSES = ['scheduled', 'active'] as const;

/**
 * Converts a wallet to its form in the API, at an instant of the workspace's clock. It shows the blocks with credits left, in the order in
 * which usage takes from them.
 */
export function presentWallet(wallet: Wallet, at: Instant) {
  const { customerId, creditType, blocks } = wallet;
  const left = blocks.filter(({ expiresAt }) => expiresAt === null || at < expiresAt);
  return {
    customerId,
    creditType,
    balance: jsonNumber(balanceAt(wallet, at)),
    blocks: sortByBurnOrder(left).map((block) => presentBlock(wallet, block, at)),
  };
}

/** Converts a block to its form in the API, at an instant of the workspace's clock. */
export function presentBlock({ customerId, creditType }: WalletKey, block: WalletBlock, at: Instant) {
  return {
    id: block.blockId,
    customerId,
    creditType,
    source: block.source,
    status: block.effectiveAt > at ? 'scheduled' : 'active',
    amount: jsonNumber(block.amount),
    remaining: jsonNumber(block.remaining),
    priority: block.priority,
    effectiveAt: block.effectiveAt,
    expiresAt: block.expiresAt,
    costBasis: block.costBasis === null ? null : jsonNumber(block.costBasis),
    currency: block.currency,
    description: block.description,
    createdAt: block.createdAt,
  };
}
