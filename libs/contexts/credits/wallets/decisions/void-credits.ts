import {
  Decimal,
  decimalString,
  InvalidRequest,
  StateConflict,
  sumOf,
  type Instant,
} from '#libs/kernel/core';
import { drawsOfVoid, type CreditDraw } from '#libs/rating';
import type { WalletEvent } from '../events.js';
import {
  balanceAt,
  walletKeyOf,
  requireBlock,
  toCreditBlock,
  subtractDraws,
  type Wallet,
} from '../wallet.js';
import type { WalletCommandOf } from './wallet-command.js';

/** Voids the remaining credits of a block, even if they cannot be used yet. Refuses a block that has expired. */
export function voidBlock(
  { at, blockId, reason, creditNote }: WalletCommandOf<'VoidBlock'>,
  wallet: Wallet,
): WalletEvent[] {
  const { remaining: amount, amount: blockAmount, expiresAt, invoiceId } = requireBlock(wallet, blockId);
  if (expiresAt !== null && expiresAt <= at)
    throw new StateConflict(
      'credits_expired',
      `The credits of the block "${blockId}" expired at ${expiresAt}`,
    );
  if (!creditNote) return [voided(wallet, at, [{ blockId, amount }], reason)];
  if (invoiceId === undefined)
    throw InvalidRequest.field(
      'creditNote',
      'must be false or absent, because no invoice was paid for this block; void it without a credit note',
    );
  const event = voided(wallet, at, [{ blockId, amount }], reason);
  return [{ ...event, data: { ...event.data, creditNote: { invoiceId, blockAmount } } }];
}

/** Voids an amount of credits. Refuses an amount that is larger than the balance. */
export function voidCredits(
  { at, amount, reason }: WalletCommandOf<'VoidCredits'>,
  wallet: Wallet,
): WalletEvent[] {
  const balance = balanceAt(wallet, at);
  if (new Decimal(balance).lt(amount))
    throw new InvalidRequest(
      'insufficient_credits',
      `The wallet has ${balance} credits, fewer than the ${amount} to void; void at most that many`,
      [{ field: 'amount', message: `must be at most ${balance}` }],
    );
  const draws = drawsOfVoid(wallet.blocks.map(toCreditBlock), { amount }, at);
  return [voided(wallet, at, draws, reason)];
}

function voided(
  wallet: Wallet,
  at: Instant,
  draws: readonly CreditDraw[],
  reason: string | null,
): Extract<WalletEvent, { type: 'CreditsVoided' }> {
  const amount = decimalString(sumOf(draws.map((draw) => draw.amount)));
  const after = { blocks: subtractDraws(wallet.blocks, draws) };
  const data = { ...walletKeyOf(wallet), at, amount, draws, reason, balance: balanceAt(after, at) };
  return { type: 'CreditsVoided', data };
}
