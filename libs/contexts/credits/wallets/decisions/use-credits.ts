import { Decimal, decimalString, sumOf } from '#libs/kernel/core';
import type { WalletEvent } from '../events.js';
import { monthOf } from '../evolve.js';
import { balanceAt, walletKeyOf, subtractDraws, type Wallet } from '../wallet.js';
import type { WalletCommandOf } from './wallet-command.js';

/**
 * Records the draws of usage: the credits that usage took from blocks, and those that no block covered. The credits were taken from the
 * blocks when the usage was stored, so this function cannot refuse the draws.
 */
export function drawDownCredits(
  { at, draws, upTo, inTrial = false }: WalletCommandOf<'DrawDownCredits'>,
  wallet: Wallet,
): WalletEvent[] {
  const after = wallet.drawnUpTo;
  if (draws.length === 0 || BigInt(upTo) <= BigInt(after)) return [];
  const covered = draws.filter(({ blockId }) => blockId !== null);
  const amount = decimalString(sumOf(covered.map((draw) => draw.amount)));
  const balance = balanceAt({ blocks: subtractDraws(wallet.blocks, covered) }, at);
  const data = { ...walletKeyOf(wallet), at, amount, balance, draws, usage: { after, upTo } };
  const isFree = inTrial && covered.length < draws.length;
  return [{ type: 'CreditsDrawnDown', data: isFree ? { ...data, trial: true } : data }];
}

/**
 * Records usage that was refused because it costs more than the balance. Records only the most credits that refused usage of a
 * calendar month costs. Without an automatic top-up, the wallet has no threshold, so nothing is recorded.
 */
export function recordRefusal(
  { at, required }: WalletCommandOf<'RecordRefusal'>,
  wallet: Wallet,
): WalletEvent[] {
  const { autoTopUp, refused } = wallet;
  const balance = balanceAt(wallet, at);
  if (!autoTopUp || new Decimal(required).lte(balance)) return [];
  if (refused && monthOf(refused.at) === monthOf(at) && new Decimal(required).lte(refused.required))
    return [];
  return [{ type: 'CreditsRefused', data: { ...walletKeyOf(wallet), at, balance, required } }];
}

/** Bills all overage of the wallet on an invoice. The invoice also shows the used credits that blocks covered. */
export function invoiceUsage(
  { at, invoiceId, unitPrice, currency, needsOverage }: WalletCommandOf<'InvoiceUsage'>,
  wallet: Wallet,
): WalletEvent[] {
  const { overage, used } = wallet;
  if (needsOverage && overage.length === 0) return [];
  const data = { ...walletKeyOf(wallet), at, balance: balanceAt(wallet, at), invoiceId };
  return [
    ...(overage.length === 0
      ? []
      : [{ type: 'CreditOverageBilled' as const, data: { ...data, overage, unitPrice, currency } }]),
    ...(used.length === 0 ? [] : [{ type: 'CreditsUsedInvoiced' as const, data: { ...data, used } }]),
  ];
}

/** Moves overage and used credits of a voided invoice back to the wallet, so that the next invoice includes them. */
export function returnUsage(
  { at, invoiceId, overage, used }: WalletCommandOf<'ReturnUsage'>,
  wallet: Wallet,
): WalletEvent[] {
  const data = { ...walletKeyOf(wallet), at, balance: balanceAt(wallet, at), invoiceId };
  return [
    ...(overage.length === 0 ? [] : [{ type: 'CreditOverageReturned' as const, data: { ...data, overage } }]),
    ...(used.length === 0 ? [] : [{ type: 'CreditsUsedReturned' as const, data: { ...data, used } }]),
  ];
}

/** Expires the remaining credits of a block. Does nothing before the block's expiry, or if the block has no credits left. */
export function expireBlock({ at, blockId }: WalletCommandOf<'ExpireBlock'>, wallet: Wallet): WalletEvent[] {
  const block = wallet.blocks.find((one) => one.blockId === blockId);
  if (!block || block.expiresAt === null || at < block.expiresAt) return [];
  const data = {
    ...walletKeyOf(wallet),
    at,
    blockId,
    amount: block.remaining,
    balance: balanceAt(wallet, at),
  };
  return [{ type: 'CreditsExpired', data }];
}
