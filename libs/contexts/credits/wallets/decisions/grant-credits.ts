import { addSeconds, InvalidRequest, StateConflict, type Instant } from '#libs/kernel/core';
import type { GrantedBlock, WalletEvent } from '../events.js';
import { balanceAt, toWalletBlock, walletKeyOf, MAX_WALLET_BLOCKS, type Wallet } from '../wallet.js';
import type { CreditTerms, WalletCommandOf } from './wallet-command.js';

const DAY_SECONDS = 86_400;

/** Adds a block of granted credits to the wallet. Refuses a wrong currency and credits that expire before they can be used. */
export function grantCredits(
  { at, ...command }: WalletCommandOf<'GrantCredits'>,
  wallet: Wallet,
): WalletEvent[] {
  const block = blockOf(command, at);
  const { currency, effectiveAt, expiresAt } = block;
  requireCreditTypeCurrency(currency, command.terms);
  if (expiresAt !== null && expiresAt <= at) throw alreadyExpired(command, expiresAt, at);
  if (expiresAt !== null && expiresAt <= effectiveAt)
    throw InvalidRequest.field('expiresAt', `must be after effectiveAt (${effectiveAt})`);
  requireRoomForBlock(wallet);
  const data = { ...walletKeyOf(wallet), at, ...block };
  const balance = balanceAt({ blocks: [...wallet.blocks, toWalletBlock(data)] }, at);
  return [{ type: 'CreditsGranted', data: { ...data, balance } }];
}

/** Fills absent fields of a grant with the defaults of its credit type. */
function blockOf(
  { blockId, grant, terms }: Omit<WalletCommandOf<'GrantCredits'>, 'at'>,
  at: Instant,
): GrantedBlock {
  const { effectiveAt = at, currency = terms.currency, expiresAt: given, ...fields } = grant;
  const expiresAt = given === undefined ? defaultExpiry(effectiveAt, terms) : given;
  return { ...fields, blockId, currency, effectiveAt, expiresAt };
}

/**
 * Returns the error for a grant whose credits would have expired already. The error names `expiresAt` if the client gave an expiry, and
 * `effectiveAt` if the expiry is the default.
 */
function alreadyExpired(
  { grant, terms }: Omit<WalletCommandOf<'GrantCredits'>, 'at'>,
  expiresAt: Instant,
  at: Instant,
): InvalidRequest {
  return grant.expiresAt === undefined
    ? InvalidRequest.field(
        'effectiveAt',
        `is too early: the credits would have expired at ${expiresAt}, ${terms.expiresAfterDays} days later; give a later time or an expiresAt`,
      )
    : InvalidRequest.field('expiresAt', `must be after ${at}, the time of the workspace`);
}

/** Returns the expiry of credits that are granted without an expiry. Returns null if the credits never expire. */
export function defaultExpiry(
  effectiveAt: Instant,
  { expiresAfterDays }: Pick<CreditTerms, 'expiresAfterDays'>,
): Instant | null {
  return expiresAfterDays === null ? null : addSeconds(effectiveAt, expiresAfterDays * DAY_SECONDS);
}

/** Refuses a grant whose currency is not that of the credit type. */
export function requireCreditTypeCurrency(given: string, { currency }: Pick<CreditTerms, 'currency'>): void {
  if (given !== currency)
    throw InvalidRequest.field('currency', `must be ${currency}, the currency of the credit type`);
}

/** Refuses a new block if the wallet already has the maximum number of blocks. */
export function requireRoomForBlock(wallet: Wallet): void {
  if (!hasRoomForBlock(wallet))
    throw new StateConflict(
      'too_many_blocks',
      `A wallet has at most ${MAX_WALLET_BLOCKS} blocks with credits left; void some of them, or add larger blocks`,
    );
}

/** Tells whether the wallet can have one more block. */
export function hasRoomForBlock({ blocks, unpaid }: Wallet): boolean {
  return blocks.length + unpaid.length < MAX_WALLET_BLOCKS;
}
