import { decimalString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import type { CreditBlock } from './blocks.js';
import type { OveragePolicy } from './block-balances.js';
import { applyDraws, drawDown, remainingCredits, drawsOfVoid } from './draw-down.js';

/** A change of a wallet. A debit is ignored if an earlier debit has the same key. */
export type CreditMovement =
  | { readonly type: 'debit'; readonly at: Instant; readonly amount: DecimalString; readonly key?: string }
  | {
      readonly type: 'void';
      readonly at: Instant;
      readonly blockId?: string;
      readonly amount?: DecimalString;
    };

/** A wallet at the end of its history. */
export interface CreditBalances {
  /** The remaining amount of each block. The keys are block ids. */
  readonly balances: Readonly<Record<string, DecimalString>>;
  /** The number of credits that were used beyond the credits of all blocks. These credits must be billed. */
  readonly uncovered: DecimalString;
}

/**
 * Replays the movements of a wallet in order of time, starting with its granted blocks. A debit takes no credits from blocks that became
 * effective after the debit. If a void and a debit have the same instant, the void is replayed first. `asOf` is the instant for which the
 * balances are returned. By default, `asOf` is the instant of the last movement. Movements after `asOf` are replayed too: `asOf` decides
 * only which blocks have expired.
 */
export function replayCredits(
  granted: readonly CreditBlock[],
  movements: readonly CreditMovement[],
  overage: OveragePolicy,
  asOf?: Instant,
): CreditBalances {
  const inOrder = [...movements].sort((a, b) =>
    a.at === b.at ? Number(a.type === 'debit') - Number(b.type === 'debit') : a.at < b.at ? -1 : 1,
  );
  const keys = new Set<string>();
  const uncovered: DecimalString[] = [];
  let blocks = [...granted];
  for (const movement of inOrder) {
    if (movement.type === 'void') {
      blocks = applyDraws(blocks, drawsOfVoid(blocks, movement, movement.at));
      continue;
    }
    if (movement.key !== undefined) {
      if (keys.has(movement.key)) continue;
      keys.add(movement.key);
    }
    const debit = drawDown(blocks, movement.amount, movement.at, overage);
    blocks = applyDraws(blocks, debit.draws);
    uncovered.push(debit.uncovered);
  }
  const at = asOf ?? inOrder.at(-1)?.at;
  return {
    balances: Object.fromEntries(
      blocks.map((block) => [block.blockId, at === undefined ? block.amount : remainingCredits(block, at)]),
    ),
    uncovered: decimalString(sumOf(uncovered)),
  };
}
