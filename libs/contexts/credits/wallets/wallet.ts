import {
  addSeconds,
  Decimal,
  decimalString,
  InvalidRequest,
  NotFound,
  sumOf,
  type DecimalString,
  type Instant,
} from '#libs/kernel/core';
import { aggregateId, defineDecider } from '#libs/kernel/domain';
import { usableBlocks, voidDraws, type CreditDraw } from '#libs/rating';
import type { CreditTypeDetails } from '../credit-types/events.js';
import { walletEvents, type GrantedBlock, type UsageDraw, type WalletEvent } from './events.js';

/** A block of a wallet that has credits left. */
export interface WalletBlock extends GrantedBlock {
  createdAt: Instant;
  /** The credits that are left. They cannot be used before `effectiveAt` and from `expiresAt` on. */
  remaining: DecimalString;
}

/** The credits of one type that a customer has. */
export interface Wallet {
  customerId: string;
  creditType: string;
  /**
   * The blocks with credits left, in the order of their grants. Others are in the stream alone, so that the state does not grow with time.
   */
  blocks: WalletBlock[];
  /** The position of the usage log up to which the events of the stream include the wallet's usage. */
  drawnUpTo: string;
}

export interface WalletKey {
  readonly customerId: string;
  readonly creditType: string;
}

/** A grant as a client asks for it. Absent fields have the defaults of the credit type. */
export type CreditGrant = Omit<GrantedBlock, 'blockId' | 'effectiveAt' | 'expiresAt' | 'currency'> & {
  /** Absent: now. */
  effectiveAt?: Instant | undefined;
  /** Null: the credits never expire. Absent: they expire after the days of the credit type. */
  expiresAt?: Instant | null | undefined;
  currency?: string | undefined;
};

const DAY_SECONDS = 86_400;
/** The largest number of blocks of one wallet that have credits left. */
export const MAX_BLOCKS = 1_000;

export type WalletCommand = WalletKey & { at: Instant } &
  /** `terms`: those of the credit type. */
  (
    | {
        type: 'GrantCredits';
        blockId: string;
        grant: CreditGrant;
        terms: Pick<CreditTypeDetails, 'currency' | 'expiresAfterDays'>;
      }
    /** Records the usage of the wallet up to a position of the usage log. It does nothing if that usage was recorded already. */
    | { type: 'DrawDownCredits'; draws: readonly UsageDraw[]; upTo: string }
    /** Ends what is left of a block at its expiry. */
    | { type: 'ExpireBlock'; blockId: string }
    /** Takes back what is left of a block. */
    | { type: 'VoidBlock'; blockId: string; reason: string | null }
    /** Takes back an amount from the usable blocks, in their burn order. */
    | { type: 'VoidCredits'; amount: DecimalString; reason: string | null }
  );

type Of<Type extends WalletCommand['type']> = Extract<WalletCommand, { type: Type }>;

export const walletDecider = defineDecider<Wallet, WalletCommand, WalletEvent>({
  category: 'wallet',
  events: walletEvents,
  decide(command, wallet = initialState(command)) {
    switch (command.type) {
      case 'GrantCredits':
        return grantCredits(command, wallet);
      case 'DrawDownCredits':
        return drawDownCredits(command, wallet);
      case 'ExpireBlock':
        return expireBlock(command, wallet);
      case 'VoidBlock':
        return voidBlock(command, wallet);
      case 'VoidCredits':
        return voidCredits(command, wallet);
    }
  },
  evolve,
});

/** A wallet before its first event. */
export function initialState({ customerId, creditType }: WalletKey): Wallet {
  return { customerId, creditType, blocks: [], drawnUpTo: '0' };
}

/** The id of a wallet's stream. A customer id can have dots, but a credit type has none, so the id is unambiguous. */
export function walletId(workspaceId: string, { customerId, creditType }: WalletKey): string {
  return aggregateId(workspaceId, `${customerId}.${creditType}`);
}

/** The credits that can be used at an instant. */
export function balanceAt({ blocks }: Pick<Wallet, 'blocks'>, at: Instant): DecimalString {
  return decimalString(sumOf(usableBlocks(blocks.map(toCreditBlock), at).map(({ amount }) => amount)));
}

/** Returns the block. Throws NotFound if nothing of it is left, or if the wallet never had it. */
function requireBlock({ blocks }: Wallet, blockId: string): WalletBlock {
  const block = blocks.find((one) => one.blockId === blockId);
  if (!block)
    throw new NotFound(
      'block_not_found',
      `The wallet has no block "${blockId}" with credits left: it was used up, has expired, was voided, or never existed`,
    );
  return block;
}

function grantCredits({ at, ...command }: Of<'GrantCredits'>, wallet: Wallet): WalletEvent[] {
  const block = blockOf(command, at);
  const { currency, effectiveAt, expiresAt } = block;
  if (currency !== command.terms.currency)
    throw InvalidRequest.field(
      'currency',
      `must be ${command.terms.currency}, the currency of the credit type`,
    );
  if (expiresAt !== null && expiresAt <= at) throw alreadyExpired(command, expiresAt, at);
  if (expiresAt !== null && expiresAt <= effectiveAt)
    throw InvalidRequest.field('expiresAt', `must be after effectiveAt (${effectiveAt})`);
  if (wallet.blocks.length >= MAX_BLOCKS)
    throw new InvalidRequest(
      'too_many_blocks',
      `A wallet has at most ${MAX_BLOCKS} blocks with credits left; void some of them, or grant larger blocks`,
    );
  const data = { ...keyOf(wallet), at, ...block };
  const balance = balanceAt({ blocks: [...wallet.blocks, grantedBlock(data)] }, at);
  return [{ type: 'CreditsGranted', data: { ...data, balance } }];
}

/** Completes a grant with the defaults of its credit type. */
function blockOf({ blockId, grant, terms }: Omit<Of<'GrantCredits'>, 'at'>, at: Instant): GrantedBlock {
  const { effectiveAt = at, currency = terms.currency, expiresAt: given, ...fields } = grant;
  const { expiresAfterDays } = terms;
  const byDefault =
    expiresAfterDays === null ? null : addSeconds(effectiveAt, expiresAfterDays * DAY_SECONDS);
  return { ...fields, blockId, currency, effectiveAt, expiresAt: given === undefined ? byDefault : given };
}

/** The error of a grant that would have expired already. It names the field that the client sent. */
function alreadyExpired(
  { grant, terms }: Omit<Of<'GrantCredits'>, 'at'>,
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

/** The draws were taken from the blocks when the usage was stored, so nothing is decided here. */
function drawDownCredits({ at, draws, upTo }: Of<'DrawDownCredits'>, wallet: Wallet): WalletEvent[] {
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

/** Ends the rest of a block. It does nothing before the expiry, or if nothing is left. */
function expireBlock({ at, blockId }: Of<'ExpireBlock'>, wallet: Wallet): WalletEvent[] {
  const block = wallet.blocks.find((one) => one.blockId === blockId);
  if (!block || block.expiresAt === null || at < block.expiresAt) return [];
  const data = { ...keyOf(wallet), at, blockId, amount: block.remaining, balance: balanceAt(wallet, at) };
  return [{ type: 'CreditsExpired', data }];
}

/** Voids what is left of a block, even if it cannot be used yet. Credits whose expiry is due expire instead. */
function voidBlock({ at, blockId, reason }: Of<'VoidBlock'>, wallet: Wallet): WalletEvent[] {
  const { remaining: amount, expiresAt } = requireBlock(wallet, blockId);
  if (expiresAt !== null && expiresAt <= at)
    throw new InvalidRequest(
      'credits_expired',
      `The credits of the block "${blockId}" expired at ${expiresAt}`,
    );
  return voided(wallet, at, [{ blockId, amount }], reason);
}

/** Voids the whole amount, or refuses it. */
function voidCredits({ at, amount, reason }: Of<'VoidCredits'>, wallet: Wallet): WalletEvent[] {
  const balance = balanceAt(wallet, at);
  if (new Decimal(balance).lt(amount))
    throw new InvalidRequest(
      'insufficient_credits',
      `The wallet has ${balance} credits, fewer than the ${amount} to void; void at most that many`,
      [{ field: 'amount', message: `must be at most ${balance}` }],
    );
  const draws = voidDraws(wallet.blocks.map(toCreditBlock), { amount }, at);
  return voided(wallet, at, draws, reason);
}

function voided(
  wallet: Wallet,
  at: Instant,
  draws: readonly CreditDraw[],
  reason: string | null,
): WalletEvent[] {
  const amount = decimalString(sumOf(draws.map((draw) => draw.amount)));
  const after = { blocks: withoutDraws(wallet.blocks, draws) };
  const data = { ...keyOf(wallet), at, amount, draws, reason, balance: balanceAt(after, at) };
  return [{ type: 'CreditsVoided', data }];
}

function evolve(state: Wallet | undefined, event: WalletEvent): Wallet {
  const wallet = state ?? initialState(event.data);
  switch (event.type) {
    case 'CreditsGranted':
      return { ...wallet, blocks: [...wallet.blocks, grantedBlock(event.data)] };
    case 'CreditsDrawnDown': {
      const { draws, usage } = event.data;
      return { ...wallet, blocks: withoutDraws(wallet.blocks, draws), drawnUpTo: usage.upTo };
    }
    case 'CreditsExpired': {
      const { blockId, amount } = event.data;
      return { ...wallet, blocks: withoutDraws(wallet.blocks, [{ blockId, amount }]) };
    }
    case 'CreditsVoided':
      return { ...wallet, blocks: withoutDraws(wallet.blocks, event.data.draws) };
  }
}

/** Returns the block of a grant as it was granted, with all of its credits left. */
export function grantedBlock({
  customerId: _,
  creditType: __,
  balance: ___,
  at: createdAt,
  ...block
}: WalletKey & GrantedBlock & { at: Instant; balance?: DecimalString }): WalletBlock {
  return { ...block, createdAt, remaining: block.amount };
}

/** Takes the amounts from the blocks, and leaves out blocks with nothing left. Credits that no block covered change nothing. */
export function withoutDraws(
  blocks: readonly WalletBlock[],
  draws: readonly { readonly blockId: string | null; readonly amount: DecimalString }[],
): WalletBlock[] {
  const drawn = Map.groupBy(draws, ({ blockId }) => blockId);
  return blocks.flatMap((block) => {
    const ofBlock = drawn.get(block.blockId);
    if (!ofBlock) return [block];
    const remaining = new Decimal(block.remaining).minus(sumOf(ofBlock.map(({ amount }) => amount)));
    return remaining.isZero() ? [] : [{ ...block, remaining: decimalString(remaining) }];
  });
}

/** The form in which the rules of `libs/rating` take a block. */
export function toCreditBlock({ remaining: amount, ...block }: WalletBlock) {
  return { ...block, amount };
}

function keyOf({ customerId, creditType }: Wallet): WalletKey {
  return { customerId, creditType };
}
