import type { Instant } from '#libs/kernel/core';
import type { WalletEvent } from '../events.js';
import { balanceAt, walletKeyOf, type Wallet } from '../wallet.js';

/** Returns an event if the balance has become low, is depleted, or has recovered. The first credits of a wallet cause no such event. */
export function balanceLevelEvents(at: Instant, before: Wallet, after: Wallet): WalletEvent[] {
  const { level, autoTopUp } = after;
  if (before.level === null || before.level === level) return [];
  const data = { ...walletKeyOf(after), at, balance: balanceAt(after, at) };
  if (level === 'depleted') return [{ type: 'WalletBalanceDepleted', data }];
  if (level === 'sufficient') return [{ type: 'WalletBalanceRecovered', data }];
  return [{ type: 'WalletBalanceLow', data: { ...data, threshold: autoTopUp!.threshold } }];
}
