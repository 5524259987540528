import { compareTexts, Decimal, type DecimalString, type Instant } from '#libs/kernel/core';

/** The source of credits. If two blocks have the same priority and expiry, the purchased one is used last. */
export const CREDIT_SOURCES = ['grant', 'promotional', 'purchase'] as const;
export type CreditSource = (typeof CREDIT_SOURCES)[number];

/**
 * A block of prepaid credits. Credits are exact decimals and are never rounded. Amounts of money that are computed from credits are
 * rounded.
 */
export interface CreditBlock {
  readonly blockId: string;
  /** The remaining amount of the block. */
  readonly amount: DecimalString;
  /** Blocks with a lower priority are used first. */
  readonly priority: number;
  readonly source: CreditSource;
  /** The first instant at which the block can be used. */
  readonly effectiveAt: Instant;
  /** The instant from which the block can no longer be used. If null, it never expires. */
  readonly expiresAt: Instant | null;
  readonly createdAt: Instant;
}

/** An amount that is taken from a block. */
export interface CreditDraw {
  readonly blockId: string;
  readonly amount: DecimalString;
}

/**
 * Sorts blocks by burn order, the order in which their credits are used. Burn order compares priority, expiry (blocks without expiry last),
 * source (purchased last), effective instant, creation instant and id. All code uses this order.
 */
export function sortByBurnOrder<Block extends CreditBlock>(blocks: readonly Block[]): Block[] {
  return [...blocks].sort(
    (a, b) =>
      a.priority - b.priority ||
      compareTexts(a.expiresAt ?? NEVER, b.expiresAt ?? NEVER) ||
      Number(a.source === 'purchase') - Number(b.source === 'purchase') ||
      compareTexts(a.effectiveAt, b.effectiveAt) ||
      compareTexts(a.createdAt, b.createdAt) ||
      compareTexts(a.blockId, b.blockId),
  );
}

/** The blocks that can be used at an instant, in burn order. */
export function usableBlocks<Block extends CreditBlock>(blocks: readonly Block[], at: Instant): Block[] {
  return sortByBurnOrder(
    blocks.filter(
      ({ amount, effectiveAt, expiresAt }) =>
        effectiveAt <= at && (expiresAt === null || at < expiresAt) && !new Decimal(amount).isZero(),
    ),
  );
}

/** A string that sorts after every instant, because instants begin with a digit and `~` sorts after all digits. */
const NEVER = '~';
