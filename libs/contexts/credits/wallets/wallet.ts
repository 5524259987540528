import {
  Decimal,
  type DecimalString,
  decimalString,
  type Instant,
  NotFound,
  omit,
  sumOf,
} from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { isTopUpDue, usableBlocks, type TaxAmount } from '#libs/rating';
import type { AutoTopUpSettings, CreditPurchase, GrantedBlock, MetricCredits, UsageDraw } from './events.js';

/** A block of a wallet that has credits left. */
export interface WalletBlock extends GrantedBlock {
  createdAt: Instant;
  /** The credits that are left. The credits of the block can be used from `effectiveAt` until `expiresAt`. */
  remaining: DecimalString;
  /** The part of `remaining` that cannot be used because the purchase is disputed, refunded or lost. Absent if it is zero. */
  blocked?: DecimalString;
  /** The credits that were taken back because the purchase was refunded or lost. Absent if it is zero. */
  takenBack?: DecimalString;
  /** The taxes on the price of the credits that were taken back. Absent if there are none. */
  takenBackTaxes?: readonly TaxAmount[];
}

/** The credits of one type that a customer has. */
export interface Wallet {
  customerId: string;
  creditType: string;
  /**
   * The blocks with credits left, in the order in which they were granted. Empty blocks are left out, so that the state does not grow with
   * time.
   */
  blocks: WalletBlock[];
  /** The credits that usage cost beyond the blocks, and that no invoice bills yet. There is one entry for each metric. */
  overage: MetricCredits[];
  /** The credits that usage took from blocks, and that no invoice shows yet. There is one entry for each metric. */
  used: MetricCredits[];
  /** The newest interval of each allowance of each subscription. */
  allowances: GrantedAllowance[];
  /** The purchases that are not paid yet, oldest first. */
  unpaid: UnpaidPurchase[];
  autoTopUp: AutoTopUpSettings | null;
  /** The calendar month (UTC) of the newest top-up, such as `2026-01`, with the number of top-ups in it. Null before the first top-up. */
  topUps: { month: string; count: number } | null;
  /**
   * The instant until which automatic top-ups wait. The field keeps its value after this instant. Null if no top-up has waited since the
   * settings were last set or removed.
   */
  topUpDeferredUntil: Instant | null;
  /**
   * The usage that was refused since the balance last covered it: the most credits that an event costs, and the time of that refusal. Absent
   * if the balance covers it, or if the wallet has no automatic top-up.
   */
  refused?: { required: DecimalString; at: Instant };
  /** The level of the balance right after the last event. Null until the wallet has usable credits for the first time. */
  level: BalanceLevel | null;
  /** The position of the usage log up to which the wallet's stream contains the usage of the wallet. */
  drawnUpTo: string;
}

/** The newest interval for which an allowance was granted. */
export interface GrantedAllowance {
  allowanceId: string;
  subscriptionId: string;
  /** The block of credits that was granted for the interval. */
  blockId: string;
  /** The beginning of the interval. */
  start: Instant;
  /** The end of the interval. */
  end: Instant;
  /** The credits of the interval, for the limit of what changes of plan grant. Absent if an earlier version granted the allowance. */
  interval?: IntervalCredits;
}

/** The credits that an allowance gave for an interval. */
export interface IntervalCredits {
  planId: string;
  /** The id of the amendment with which the subscription came to the plan. Null if it began with the plan. */
  planChange: string | null;
  /** The credits of the allowance for a whole interval. */
  credits: DecimalString;
  /** The credits that were granted, without credits that rolled over. */
  granted: DecimalString;
  /** The credits of the block that were left at its end, before a change of plan or the end of the interval. Absent until then. */
  left?: DecimalString;
  /** The credits that were used of grants before an earlier change of plan in the interval. */
  usedBefore: DecimalString;
}

/** A purchase of credits whose invoice is not paid yet. */
export interface UnpaidPurchase extends CreditPurchase {
  createdAt: Instant;
  /** True if the invoice was written off. Absent otherwise. */
  writtenOff?: true;
}

/**
 * The level of a balance. The level is `depleted` if the wallet has no credits that can be used now. The level is `low` if the balance is
 * at or below the threshold of the automatic top-up, or below the cost of usage that was refused. Any other balance is `sufficient`.
 */
export type BalanceLevel = 'sufficient' | 'low' | 'depleted';

/** Identifies a wallet in its workspace: a customer has one wallet for each credit type. */
export interface WalletKey {
  readonly customerId: string;
  readonly creditType: string;
}

/** The maximum number of blocks in one wallet. Only blocks with credits left and blocks that are not paid yet are counted. */
export const MAX_WALLET_BLOCKS = 1_000;

/** The state of a wallet before its first event. */
export function initialState({ customerId, creditType }: WalletKey): Wallet {
  return {
    customerId,
    creditType,
    blocks: [],
    overage: [],
    used: [],
    allowances: [],
    unpaid: [],
    autoTopUp: null,
    topUps: null,
    topUpDeferredUntil: null,
    level: null,
    drawnUpTo: '0',
  };
}

/** The id of a wallet's stream. A customer id can have dots, but a credit type has none, so the id is unambiguous. */
export function walletId(workspaceId: string, { customerId, creditType }: WalletKey): string {
  return aggregateId(workspaceId, `${customerId}.${creditType}`);
}

/** The credits that can be used at an instant. */
export function balanceAt({ blocks }: Pick<Wallet, 'blocks'>, at: Instant): DecimalString {
  return decimalString(sumOf(usableBlocks(blocks.map(toCreditBlock), at).map(({ amount }) => amount)));
}

/** Returns the level of a balance. The threshold is that of the wallet's automatic top-up. */
export function balanceLevel(
  balance: DecimalString,
  { autoTopUp, refused }: Pick<Wallet, 'autoTopUp' | 'refused'>,
): BalanceLevel {
  if (new Decimal(balance).lte(0)) return 'depleted';
  return autoTopUp && (isTopUpDue(autoTopUp, balance) || refused !== undefined) ? 'low' : 'sufficient';
}

/** Returns the block. Throws NotFound if the block has no credits left, or if the wallet never had the block. */
export function requireBlock({ blocks }: Wallet, blockId: string): WalletBlock {
  const block = blocks.find((one) => one.blockId === blockId);
  if (!block)
    throw new NotFound(
      'block_not_found',
      `The wallet has no block "${blockId}" with credits left: it was used up, has expired, was voided, or never existed`,
      undefined,
      { resource: 'block', id: blockId },
    );
  return block;
}

/** Returns the new block of a grant, with all of its credits left. */
export function toWalletBlock(
  grant: WalletKey & GrantedBlock & { at: Instant; balance?: DecimalString; timezone?: string },
): WalletBlock {
  return {
    ...omit(grant, ['customerId', 'creditType', 'balance', 'timezone', 'at']),
    createdAt: grant.at,
    remaining: grant.amount,
  };
}

/**
 * Returns the credits that were used of an allowance in its interval. Credits that rolled over count as used first. Returns zero for an
 * allowance that an earlier version granted.
 */
export function usedOfInterval(
  { blockId, interval }: GrantedAllowance,
  { blocks }: Pick<Wallet, 'blocks'>,
): DecimalString {
  if (!interval) return '0';
  const left = blocks.find((block) => block.blockId === blockId)?.remaining ?? interval.left ?? '0';
  const used = Decimal.max(new Decimal(interval.granted).minus(left), 0);
  return decimalString(used.plus(interval.usedBefore));
}

/**
 * Subtracts the drawn amounts from the blocks, and leaves out blocks without remaining credits. Credits that no block covered do not change
 * the blocks.
 */
export function subtractDraws(
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

/** Sums credits by metric. Overage that a voided invoice billed for a period stays apart. */
export function sumCreditsByMetric(credits: readonly MetricCredits[]): MetricCredits[] {
  const byMetric = Map.groupBy(credits, ({ metricId, period }) =>
    period === undefined ? metricId : `${metricId} ${period.start} ${period.end}`,
  );
  return [...byMetric.values()].map((same) => {
    const { metricId, period } = same[0]!;
    const amount = decimalString(sumOf(same.map((one) => one.amount)));
    return period === undefined ? { metricId, amount } : { metricId, amount, period };
  });
}

/** Returns the drawn credits that no block covered. */
export function uncoveredCredits(draws: readonly UsageDraw[]): MetricCredits[] {
  return draws.flatMap(({ metricId, blockId, amount }) => (blockId === null ? [{ metricId, amount }] : []));
}

/** Returns the drawn credits that blocks covered. */
export function coveredCredits(draws: readonly UsageDraw[]): MetricCredits[] {
  return draws.flatMap(({ metricId, blockId, amount }) => (blockId === null ? [] : [{ metricId, amount }]));
}

/** Converts a block to the form that `libs/rating` expects. Its `amount` is the credits that are not blocked. */
export function toCreditBlock({ remaining, blocked, ...block }: WalletBlock) {
  return { ...block, amount: blocked === undefined ? remaining : unblockedCredits({ remaining, blocked }) };
}

/** The remaining credits of a block that are not blocked. */
export function unblockedCredits({
  remaining,
  blocked = '0',
}: Pick<WalletBlock, 'remaining' | 'blocked'>): DecimalString {
  return decimalString(Decimal.max(new Decimal(remaining).minus(blocked), 0));
}

/** The key that every event of a wallet contains. */
export function walletKeyOf({ customerId, creditType }: Wallet): WalletKey {
  return { customerId, creditType };
}
