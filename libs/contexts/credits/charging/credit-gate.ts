import { Injectable } from '@nestjs/common';
import { Decimal, decimalString, sumOf } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { BlockBalances, type OveragePolicy } from '#libs/rating';
import {
  GateNotReady,
  UsageGate,
  type Charge,
  type ClaimedRow,
  type ClaimsOf,
  type GateDemands,
  type OpenGate,
  type Refusal,
} from '#libs/usage';
import type { UsageDraw } from '../wallets/events.js';
import {
  addRows,
  currentWallet,
  lockRows,
  saveUnsettled,
  type WalletRow,
  type WalletRowKey,
} from '../wallets/wallet-rows.js';
import { WalletStore } from '../wallets/wallet-store.js';
import { toCreditBlock, walletId } from '../wallets/wallet.js';
import type { CreditClaim } from './credit-costs.js';
import type { ChargingRules } from './wallet-check.js';

/** What the events of a workspace cost. Without `claimsOf`, they cost no credits. */
export interface WorkspaceCosts extends ChargingRules {
  readonly claimsOf: ClaimsOf | undefined;
}

/**
 * Looks up what events of a workspace cost. The application provides the implementation, because the context has no read models.
 */
export abstract class CreditCosts {
  /** It is called for every request with usage, so it should usually return from memory. */
  abstract of(workspaceId: string): Promise<WorkspaceCosts>;
}

/** Takes the cost of each event from the customer's wallets. It refuses events that a blocking wallet does not cover. */
@Injectable()
export class CreditGate extends UsageGate {
  constructor(
    private readonly costs: CreditCosts,
    private readonly wallets: WalletStore,
  ) {
    super();
  }

  override async demandsOn(workspaceId: string): Promise<GateDemands> {
    const { claimsOf } = await this.costs.of(workspaceId);
    return { claimsOf };
  }

  /** Does nothing, because the costs hear of changes by themselves. */
  override forget(): void {}

  override async open(tx: Queryable, events: readonly ClaimedRow[]): Promise<OpenGate> {
    const wanted = new Map<string, WalletRowKey & { overage: OveragePolicy }>();
    for (const event of events)
      for (const { creditType, overage } of event.claims as readonly CreditClaim[]) {
        const { workspaceId, customerId } = event;
        const key = { workspaceId, customerId, creditType, overage };
        wanted.set(walletId(workspaceId, key), key);
      }
    const keys = [...wanted.values()];
    const found = new Map<string, WalletRow>();
    const lock = async (some: readonly WalletRowKey[]): Promise<void> => {
      for (const row of await lockRows(tx, some)) found.set(walletId(row.workspaceId, row), row);
    };
    await lock(keys);
    // An empty wallet has no row. It needs one only to count its overage.
    const missing = keys.filter(
      (key) => key.overage === 'allow' && !found.has(walletId(key.workspaceId, key)),
    );
    if (missing.length > 0) {
      await addRows(tx, missing);
      await lock(missing);
    }
    const changing = [...found.values()].find((row) => row.changing);
    if (changing) throw new GateNotReady(() => this.wallets.untilUnchanged(changing));
    return new OpenCreditGate(tx, found);
  }
}

/** A locked wallet, and what it has drawn since its last settlement. */
interface OpenWallet {
  readonly row: WalletRow;
  readonly balances: BlockBalances;
  readonly draws: Map<string, UsageDraw>;
  hasChanged: boolean;
}

class OpenCreditGate implements OpenGate {
  private readonly wallets = new Map<string, OpenWallet>();

  constructor(
    private readonly tx: Queryable,
    rows: ReadonlyMap<string, WalletRow>,
  ) {
    for (const [id, row] of rows)
      this.wallets.set(id, {
        row,
        balances: new BlockBalances(currentWallet(row).blocks.map(toCreditBlock)),
        draws: new Map(row.unsettled.map((draw) => [drawKey(draw), draw])),
        hasChanged: false,
      });
  }

  /** Refuses an event if one of its blocking wallets does not cover all of its cost. */
  check({ workspaceId, customerId, claims, now }: ClaimedRow): Refusal | undefined {
    const blocking = (claims as readonly CreditClaim[]).filter(({ overage }) => overage === 'block');
    for (const [creditType, ofType] of Map.groupBy(blocking, (claim) => claim.creditType)) {
      const cost = sumOf(ofType.map(({ credits }) => credits));
      const wallet = this.wallets.get(walletId(workspaceId, { customerId, creditType }));
      const balance = wallet?.balances.available(now) ?? new Decimal(0);
      if (balance.lt(cost))
        return {
          code: 'insufficient_credits',
          reason: `The event costs ${decimalString(cost)} credits of ${creditType}, and the customer has ${decimalString(balance)}; grant or sell the customer more`,
        };
    }
    return undefined;
  }

  take(event: ClaimedRow): readonly Charge[] {
    const { now } = event;
    const claims = event.claims as readonly CreditClaim[];
    const charges: Charge[] = [];
    for (const { creditType, metricId, credits } of claims) {
      const wallet = this.wallets.get(walletId(event.workspaceId, { ...event, creditType }))!;
      const { draws, uncovered } = wallet.balances.draw(credits, now, 'allow');
      const taken: UsageDraw[] = draws.map((draw) => ({ metricId, ...draw }));
      if (uncovered !== '0') taken.push({ metricId, blockId: null, amount: uncovered });
      for (const draw of taken) {
        add(wallet.draws, draw);
        charges.push([creditType, metricId, draw.blockId, draw.amount]);
      }
      wallet.hasChanged = true;
    }
    return charges;
  }

  async close(): Promise<void> {
    const changed = [...this.wallets.values()].filter(({ hasChanged }) => hasChanged);
    if (changed.length === 0) return;
    await saveUnsettled(
      this.tx,
      changed.map(({ row, draws }) => [row, [...draws.values()]]),
    );
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
