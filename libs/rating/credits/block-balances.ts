import { Decimal, decimalString, sumOf, type DecimalString, type Instant } from '#libs/kernel/core';
import { sortByBurnOrder, type CreditBlock, type CreditDraw } from './blocks.js';

/**
 * The policy for a use of credits that exceeds the balance. `block`: the use is refused. `allow`: the available credits are used, and the
 * rest of the use is billed.
 */
export const OVERAGE_POLICIES = ['block', 'allow'] as const;
export type OveragePolicy = (typeof OVERAGE_POLICIES)[number];

/** The result of taking credits from the credit blocks of a wallet. A use that was not `accepted` was refused, and took no credits. */
export interface DrawResult {
  readonly accepted: boolean;
  /** The credits that were taken from each block. */
  readonly draws: readonly CreditDraw[];
  /** The part of the use that the balance covered. */
  readonly covered: DecimalString;
  /** The part of the use that the balance did not cover and that must be billed. The uncovered amount is zero if the use was refused. */
  readonly uncovered: DecimalString;
}

const REFUSED: DrawResult = { accepted: false, draws: [], covered: '0', uncovered: '0' };

interface Balance {
  readonly block: CreditBlock;
  left: Decimal;
}

/**
 * The credit blocks of a wallet while credits are taken from them, one use after another. The blocks that the caller passes are not
 * changed.
 */
export class BlockBalances {
  /** In burn order. */
  private readonly balances: Balance[];

  constructor(blocks: readonly CreditBlock[]) {
    this.balances = sortByBurnOrder(blocks).map((block) => ({ block, left: new Decimal(block.amount) }));
  }

  /** The sum of the credits that can be used at an instant. */
  available(at: Instant): Decimal {
    return sumOf(this.balances.filter((one) => isUsable(one, at)).map(({ left }) => left));
  }

  /** Takes `amount` (not below zero) from the blocks that can be used at `at`, in burn order. A refused use changes nothing. */
  draw(amount: Decimal, at: Instant, overage: OveragePolicy): DrawResult {
    const taken: [Balance, Decimal][] = [];
    let uncovered = amount;
    for (const balance of this.balances) {
      if (uncovered.isZero()) break;
      if (!isUsable(balance, at)) continue;
      const part = Decimal.min(uncovered, balance.left);
      taken.push([balance, part]);
      uncovered = uncovered.minus(part);
    }
    if (overage === 'block' && !uncovered.isZero()) return REFUSED;
    for (const [balance, part] of taken) balance.left = balance.left.minus(part);
    return {
      accepted: true,
      draws: taken.map(([{ block }, part]) => ({ blockId: block.blockId, amount: decimalString(part) })),
      covered: decimalString(amount.minus(uncovered)),
      uncovered: decimalString(uncovered),
    };
  }
}

function isUsable({ block: { effectiveAt, expiresAt }, left }: Balance, at: Instant): boolean {
  return effectiveAt <= at && (expiresAt === null || at < expiresAt) && !left.isZero();
}
