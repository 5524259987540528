import { Decimal, type DecimalString, type Instant } from '#libs/kernel/core';

/** The source of credits. Purchased credits are used last. */
export type CreditSource = 'grant' | 'promotional' | 'purchase';

/** A block of prepaid credits. Credits are decimals: only money that is made of them is rounded. */
export interface CreditBlock {
  readonly blockId: string;
  /** The remaining amount of the block. */
  readonly amount: DecimalString;
  /** Lower ones are used first. */
  readonly priority: number;
  readonly source: CreditSource;
  /** First instant at which it can be used. */
  readonly effectiveAt: Instant;
  /** From this instant on it is gone; null: never. */
  readonly expiresAt: Instant | null;
  readonly createdAt: Instant;
}

/** Something taken from a block. */
export interface Draw {
  readonly blockId: string;
  readonly amount: DecimalString;
}

/**
 * The burn order of blocks: by priority, expiry (none last), free before purchased, effective instant, age and id. There is no other order
 * anywhere.
 */
export function inBurnOrder<Block extends CreditBlock>(blocks: readonly Block[]): Block[] {
  return [...blocks].sort(
    (a, b) =>
      a.priority - b.priority ||
      compare(a.expiresAt ?? NEVER, b.expiresAt ?? NEVER) ||
      Number(a.source === 'purchase') - Number(b.source === 'purchase') ||
      compare(a.effectiveAt, b.effectiveAt) ||
      compare(a.createdAt, b.createdAt) ||
      compare(a.blockId, b.blockId),
  );
}

/** The blocks that can be used at an instant, in the order in which they are. */
export function usableBlocks<Block extends CreditBlock>(blocks: readonly Block[], at: Instant): Block[] {
  return inBurnOrder(
    blocks.filter(
      ({ amount, effectiveAt, expiresAt }) =>
        effectiveAt <= at && (expiresAt === null || at < expiresAt) && !new Decimal(amount).isZero(),
    ),
  );
}

/** Above every instant, which begin with a year. */
const NEVER = '~';

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
