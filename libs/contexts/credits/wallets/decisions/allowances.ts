import { Decimal, decimalString, type DecimalString, type Instant } from '#libs/kernel/core';
import { resetAllowance, type RolloverLimits } from '#libs/rating';
import type { GrantedBlock, WalletEvent } from '../events.js';
import {
  balanceAt,
  toWalletBlock,
  walletKeyOf,
  subtractDraws,
  type Wallet,
  type WalletBlock,
} from '../wallet.js';
import { requireRoomForBlock } from './grant-credits.js';
import type { WalletCommandOf } from './wallet-command.js';

/** Grants an allowance for an interval. Does nothing if the interval already has its allowance. */
export function grantAllowance(command: WalletCommandOf<'GrantAllowance'>, wallet: Wallet): WalletEvent[] {
  const { at, blockId, subscriptionId, allowance, period, terms } = command;
  const { allowanceId, planId, credits, priority } = allowance;
  const last = wallet.allowances.find(
    (one) => one.allowanceId === allowanceId && one.subscriptionId === subscriptionId,
  );
  if (last && last.start >= period.start) return [];
  const before = wallet.blocks.find((block) => block.blockId === last?.blockId);
  const ended = before ? endOf(before, wallet, at) : undefined;
  const blocks = ended ? subtractDraws(wallet.blocks, [ended.data]) : wallet.blocks;
  if (!before) requireRoomForBlock(wallet);
  const rolledOver = last && last.end === period.start ? rolledOverPart(allowance.rollover, before) : '0';
  const block: GrantedBlock = {
    ...{ blockId, amount: decimalString(new Decimal(credits).plus(rolledOver)), source: 'grant', priority },
    ...{ effectiveAt: period.start, expiresAt: period.end, costBasis: null, currency: terms.currency },
    ...{
      description: 'Allowance',
      allowance: { allowanceId, planId, subscriptionId, start: period.start, rolledOver },
    },
  };
  const data = { ...walletKeyOf(wallet), at, ...block };
  const balance = balanceAt({ blocks: [...blocks, toWalletBlock(data)] }, at);
  return [...(ended ? [ended] : []), { type: 'CreditsGranted', data: { ...data, balance } }];
}

/**
 * Ends an allowance that its subscription no longer gives: the subscription has ended, has another plan, or gives nothing for the next
 * interval. Does nothing if the block has no credits left.
 */
export function endAllowance(
  { at, blockId }: WalletCommandOf<'EndAllowance'>,
  wallet: Wallet,
): WalletEvent[] {
  const block = wallet.blocks.find((one) => one.blockId === blockId);
  return block ? [endOf(block, wallet, at)] : [];
}

/** Returns the part of the earlier interval's allowance that stays for the new interval. */
function rolledOverPart(rollover: RolloverLimits | null, before: WalletBlock | undefined): DecimalString {
  if (!rollover) return '0';
  return resetAllowance(rollover, { balance: before?.remaining ?? '0', overage: '0' }).balance;
}

function endOf(
  { blockId, remaining: amount }: WalletBlock,
  wallet: Wallet,
  at: Instant,
): Extract<WalletEvent, { type: 'CreditsExpired' }> {
  const balance = balanceAt({ blocks: subtractDraws(wallet.blocks, [{ blockId, amount }]) }, at);
  return { type: 'CreditsExpired', data: { ...walletKeyOf(wallet), at, blockId, amount, balance } };
}
