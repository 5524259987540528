import { Decimal, decimalString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { BlockBalances, type DrawResult, type OveragePolicy } from './block-balances.js';
import { usableBlocks, type CreditBlock, type CreditDraw } from './blocks.js';

/** Takes `amount` from the blocks that can be used at `at`, in burn order. The blocks that the caller passes are not changed. */
export function drawDown(
  blocks: readonly CreditBlock[],
  amount: DecimalString,
  at: Instant,
  overage: OveragePolicy,
): DrawResult {
  return new BlockBalances(blocks).draw(new Decimal(amount), at, overage);
}

/**
 * Returns the credits that a void takes from each block. A void cancels unused credits. With `blockId`, a void takes all remaining credits
 * of this block, or `amount` of them. Without `blockId`, a void takes credits from all usable blocks, in burn order. Credits that were used
 * before the void stay used.
 */
export function drawsOfVoid(
  blocks: readonly CreditBlock[],
  { blockId, amount }: { blockId?: string; amount?: DecimalString },
  at: Instant,
): CreditDraw[] {
  const within =
    blockId === undefined ? usableBlocks(blocks, at) : blocks.filter((block) => block.blockId === blockId);
  return drawsOf(within, amount === undefined ? undefined : new Decimal(amount));
}

/** Returns the blocks with their balances after the draws. */
export function applyDraws<Block extends CreditBlock>(
  blocks: readonly Block[],
  draws: readonly CreditDraw[],
): Block[] {
  const drawn = Map.groupBy(draws, ({ blockId }) => blockId);
  return blocks.map((block) => {
    const taken = sumOf((drawn.get(block.blockId) ?? []).map(({ amount }) => amount));
    return taken.isZero()
      ? block
      : { ...block, amount: decimalString(new Decimal(block.amount).minus(taken)) };
  });
}

/** The remaining amount of a block at an instant. A block has no remaining credits from the instant of its expiry. */
export function remainingCredits({ amount, expiresAt }: CreditBlock, at: Instant): DecimalString {
  return expiresAt !== null && expiresAt <= at ? '0' : amount;
}

/** Draws `amount` credits from the blocks in the given order. Without `amount`, draws everything. */
function drawsOf(blocks: readonly CreditBlock[], amount: Decimal | undefined): CreditDraw[] {
  let left = amount;
  return blocks.flatMap(({ blockId, amount: available }) => {
    const taken = left === undefined ? new Decimal(available) : Decimal.min(left, available);
    left = left?.minus(taken);
    return taken.isZero() ? [] : [{ blockId, amount: decimalString(taken) }];
  });
}
