import { decimalString, sumOf } from '#libs/kernel/core';
import type { WalletEvent } from '../events.js';
import { balanceAt, keyOf, withoutDraws, type Wallet } from '../wallet.js';
import type { WalletCommandOf } from './wallet-command.js';

/** The draws were taken from the blocks when the usage was stored, so nothing is decided here. */
export function drawDownCredits(
  { at, draws, upTo }: WalletCommandOf<'DrawDownCredits'>,
  wallet: Wallet,
): WalletEvent[] {
  const after = wallet.drawnUpTo;
  if (draws.length === 0 || BigInt(upTo) <= BigInt(after)) return [];
  const covered = draws.filter(({ blockId }) => blockId !== null);
  const amount = decimalString(sumOf(covered.map((draw) => draw.amount)));
  const balance = balanceAt({ blocks: withoutDraws(wallet.blocks, covered) }, at);
  return [
    {
      type: 'CreditsDrawnDown',
      data: { ...keyOf(wallet), at, amount, balance, draws, usage: { after, upTo } },
    },
  ];
}

/** Takes all overage of the wallet onto an invoice. */
export function billOverage(
  { at, invoiceId, unitPrice, currency }: WalletCommandOf<'BillOverage'>,
  wallet: Wallet,
): WalletEvent[] {
  const { overage } = wallet;
  if (overage.length === 0) return [];
  const data = { ...keyOf(wallet), at, balance: balanceAt(wallet, at) };
  return [{ type: 'CreditOverageBilled', data: { ...data, invoiceId, overage, unitPrice, currency } }];
}

/** Takes overage back from an invoice that was voided, so that the next one bills it. */
export function returnOverage(
  { at, invoiceId, overage }: WalletCommandOf<'ReturnOverage'>,
  wallet: Wallet,
): WalletEvent[] {
  const data = { ...keyOf(wallet), at, balance: balanceAt(wallet, at) };
  return [{ type: 'CreditOverageReturned', data: { ...data, invoiceId, overage } }];
}

/** Ends the rest of a block. It does nothing before the expiry, or if nothing is left. */
export function expireBlock({ at, blockId }: WalletCommandOf<'ExpireBlock'>, wallet: Wallet): WalletEvent[] {
  const block = wallet.blocks.find((one) => one.blockId === blockId);
  if (!block || block.expiresAt === null || at < block.expiresAt) return [];
  const data = { ...keyOf(wallet), at, blockId, amount: block.remaining, balance: balanceAt(wallet, at) };
  return [{ type: 'CreditsExpired', data }];
}
