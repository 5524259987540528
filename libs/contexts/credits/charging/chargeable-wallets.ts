import { Decimal, decimalString, sumOf } from '#libs/kernel/core';
import { BlockBalances } from '#libs/rating';
import type { CreditCharge, ClaimingRow, EventRefusal } from '#libs/usage';
import type { UsageDraw } from '../wallets/events.js';
import { currentBlocks, type WalletRow } from '../wallets/wallet-rows.js';
import { toCreditBlock, walletId } from '../wallets/wallet.js';
import type { CreditClaim } from './credit-costs.js';

/** The state of a wallet while events are charged to it. Usage events are charged in groups. The events of a group are stored in
 * one transaction. */
export class ChargeableWallet {
  /** The number of blocks that the wallet had when its row was read. */
  readonly blockCount: number;
  private readonly balances: BlockBalances;
  /** The credits that usage has drawn since the last settlement, by metric and block. */
  private draws: Map<string, UsageDraw>;
  /**
   * The credits that the present group of events has drawn, by metric and block. The draws of the present group are a part of the draws
   * since the last settlement.
   */
  private added = new Map<string, UsageDraw>();

  constructor(row: WalletRow) {
    const blocks = currentBlocks(row);
    this.blockCount = blocks.length;
    this.balances = new BlockBalances(blocks.map(toCreditBlock));
    this.draws = new Map(row.unsettled.map((draw) => [drawKey(draw), draw]));
  }

  /** True if the present group of events has drawn credits. */
  get hasNewDraws(): boolean {
    return this.added.size > 0;
  }

  /** All draws of credits since the last settlement. */
  get unsettled(): UsageDraw[] {
    return [...this.draws.values()];
  }

  /** The draws of credits by the present group of events. */
  get newDraws(): UsageDraw[] {
    return [...this.added.values()];
  }

  /** The credits that usage can draw from the blocks at the instant `now`. */
  available(now: string): Decimal {
    return this.balances.available(now);
  }

  /**
   * Takes the cost of an event from the blocks. If the blocks do not cover the whole cost, the rest is recorded as a draw without a block.
   */
  draw({ metricId, credits }: CreditClaim, now: string): UsageDraw[] {
    const { draws, uncovered } = this.balances.draw(credits, now, 'allow');
    const taken: UsageDraw[] = draws.map((draw) => ({ metricId, ...draw }));
    if (uncovered !== '0') taken.push({ metricId, blockId: null, amount: uncovered });
    for (const draw of taken) {
      add(this.draws, draw);
      add(this.added, draw);
    }
    return taken;
  }

  /**
   * Ends the present group of events after its draws were stored. `isSettled` tells whether a settlement has recorded the draws of the
   * groups before.
   */
  endEventGroup(isSettled: boolean): void {
    if (isSettled) this.draws = this.added;
    this.added = new Map();
  }
}

/**
 * The wallets to which a group of usage events can be charged. The map has each wallet by its wallet id. A wallet without a row in
 * `credits.wallets` is missing, such as that of a customer who never had credits or overage.
 */
export class ChargeableWallets {
  constructor(private readonly wallets: ReadonlyMap<string, ChargeableWallet>) {}

  /** Returns a refusal if the customer's balance does not cover the event's cost in a credit type whose overage is `block`. */
  check({ workspaceId, customerId, claims, now }: ClaimingRow): EventRefusal | undefined {
    const blocking = (claims as readonly CreditClaim[]).filter(({ overage }) => overage === 'block');
    for (const [creditType, ofType] of Map.groupBy(blocking, (claim) => claim.creditType)) {
      const cost = sumOf(ofType.map(({ credits }) => credits));
      const wallet = this.wallets.get(walletId(workspaceId, { customerId, creditType }));
      const balance = wallet?.available(now) ?? new Decimal(0);
      if (balance.lt(cost))
        return {
          code: 'insufficient_credits',
          reason: `The event costs ${decimalString(cost)} credits of ${creditType}, and the customer has ${decimalString(balance)}; grant or sell the customer more`,
        };
    }
    return undefined;
  }

  /** Charges an event to its wallets, and returns the charges. The caller has called `check` for the event before. */
  take(event: ClaimingRow): readonly CreditCharge[] {
    return (event.claims as readonly CreditClaim[]).flatMap((claim) => {
      const { creditType, metricId } = claim;
      const wallet = this.wallets.get(walletId(event.workspaceId, { ...event, creditType }))!;
      return wallet
        .draw(claim, event.now)
        .map(({ blockId, amount }): CreditCharge => [creditType, metricId, blockId, amount]);
    });
  }
}

function add(draws: Map<string, UsageDraw>, draw: UsageDraw): void {
  const key = drawKey(draw);
  const before = draws.get(key);
  const amount = before ? decimalString(new Decimal(before.amount).plus(draw.amount)) : draw.amount;
  draws.set(key, { ...draw, amount });
}

function drawKey({ metricId, blockId }: UsageDraw): string {
  return `${metricId} ${blockId ?? ''}`;
}
