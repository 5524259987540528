import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { sumOf } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import {
  GateNotReady,
  UsageGate,
  type CreditCharge,
  type ClaimingRow,
  type ClaimFinder,
  type GateConditions,
  type LockedClaims,
  type EventRefusal,
  type CachedClaims,
  type RefusedRow,
} from '#libs/usage';
import { noteRefusals, type RefusedCost } from '../wallets/refusal-notes.js';
import {
  addMissingRows,
  lockRowsNotChanging,
  readRows,
  saveUnsettledDraws,
  type WalletRow,
  type WalletRowKey,
} from '../wallets/wallet-rows.js';
import { WalletStore } from '../wallets/wallet-store.js';
import { walletId } from '../wallets/wallet.js';
import { ChargeableWallet, ChargeableWallets } from './chargeable-wallets.js';
import type { CreditClaim } from './credit-costs.js';
import { RememberedWallets } from './remembered-wallets.js';
import type { ChargingRules } from './wallet-check.js';

/** The rules for what the events of a workspace cost. If `claimsOf` is undefined, events cost no credits. */
export interface WorkspaceCosts extends ChargingRules {
  readonly claimsOf: ClaimFinder | undefined;
}

/**
 * Looks up the costs of a workspace's events in credits. The application provides the implementation, because this context has no read
 * models.
 */
export abstract class CreditCostDirectory {
  /** Returns the costs of a workspace's events. Every request with usage calls this method, so it should usually answer from memory. */
  abstract costsOf(workspaceId: string): Promise<WorkspaceCosts>;
}

/**
 * Takes the cost of each event from the customer's wallets. The gate refuses an event whose cost exceeds the balance, if the overage of the
 * credit type is `block`.
 */
@Injectable()
export class CreditGate extends UsageGate {
  private readonly rememberedWallets: RememberedWallets;

  constructor(
    private readonly costs: CreditCostDirectory,
    private readonly wallets: WalletStore,
    private readonly pool: Pool,
  ) {
    super();
    this.rememberedWallets = new RememberedWallets(pool);
  }

  override async conditionsFor(workspaceId: string): Promise<GateConditions> {
    const { claimsOf } = await this.costs.costsOf(workspaceId);
    return { claimsOf };
  }

  /** Does nothing, because only the cost directory keeps costs in memory, and the directory itself is notified of changes. */
  override forget(): void {}

  override canDecideFromCache(): boolean {
    return true;
  }

  override async readCachedClaims(events: readonly ClaimingRow[]): Promise<CachedClaims | undefined> {
    return this.rememberedWallets.readCachedClaims(walletsOf(events));
  }

  /**
   * Notes the cost of refused usage for {@link RefusalRecorder}. Only this statement is needed, and it writes nothing if the wallet has no
   * automatic top-up.
   */
  override async recordRefusals(refused: readonly RefusedRow[]): Promise<void> {
    const costs = new Map<string, RefusedCost>();
    for (const { row, refusal } of refused) {
      if (refusal.code !== 'insufficient_credits') continue;
      for (const cost of blockingCostsOf(row)) {
        const id = walletId(cost.workspaceId, cost);
        const known = costs.get(id);
        if (!known || known.required.lt(cost.required)) costs.set(id, cost);
      }
    }
    if (costs.size === 0) return;
    // If the note cannot be written, the next refusal of the wallet is noted.
    await noteRefusals(this.pool, [...costs.values()]).catch(() => undefined);
  }

  override async lockClaims(tx: Queryable, events: readonly ClaimingRow[]): Promise<LockedClaims> {
    const wanted = walletsOf(events);
    this.rememberedWallets.forget(wanted.keys());
    const found = new Map<string, WalletRow>();
    const missingOf = (keys: readonly WantedWallet[]) =>
      keys.filter((key) => !found.has(walletId(key.workspaceId, key)));
    const lock = async (keys: readonly WalletRowKey[]): Promise<void> => {
      for (const row of await lockRowsNotChanging(tx, keys)) found.set(walletId(row.workspaceId, row), row);
    };
    const keys = [...wanted.values()];
    await lock(keys);
    await this.requireNoRows(tx, missingOf(keys));
    const missing = missingOf(keys.filter(({ needsRow }) => needsRow));
    if (missing.length > 0) {
      await addMissingRows(tx, missing);
      await lock(missing);
      await this.requireNoRows(tx, missingOf(missing));
    }
    return new LockedCreditClaims(tx, found);
  }

  /**
   * Throws GateNotReady if one of these wallets has a row. The caller could not lock such a row, because a process is changing the wallet
   * now.
   */
  private async requireNoRows(tx: Queryable, keys: readonly WalletRowKey[]): Promise<void> {
    if (keys.length === 0) return;
    const marked = await readRows(tx, keys);
    if (marked.length === 0) return;
    const byCustomer = Map.groupBy(marked, ({ workspaceId, customerId }) => `${workspaceId} ${customerId}`);
    throw new GateNotReady(
      [...byCustomer.values()].map((rows) => ({
        workspaceId: rows[0]!.workspaceId,
        customerId: rows[0]!.customerId,
        prepare: async () => {
          for (const row of rows) await this.wallets.waitUntilChangeEnds(row);
        },
      })),
    );
  }
}

/**
 * A wallet that events are charged to. A wallet without a row is empty. A missing row is added only if the overage of the wallet must be
 * counted.
 */
type WantedWallet = WalletRowKey & { readonly needsRow: boolean };

function walletsOf(events: readonly ClaimingRow[]): Map<string, WantedWallet> {
  const wanted = new Map<string, WantedWallet>();
  for (const { workspaceId, customerId, claims } of events)
    for (const { creditType, overage } of claims as readonly CreditClaim[]) {
      const id = walletId(workspaceId, { customerId, creditType });
      // The overage policy can change between two events of a group, so one event that needs the row is enough.
      const needsRow = overage === 'allow' || wanted.get(id)?.needsRow === true;
      wanted.set(id, { workspaceId, customerId, creditType, needsRow });
    }
  return wanted;
}

/** Returns what an event costs of each wallet whose overage is `block`. */
function blockingCostsOf({ workspaceId, customerId, claims }: ClaimingRow): RefusedCost[] {
  const blocking = (claims as readonly CreditClaim[]).filter(({ overage }) => overage === 'block');
  return [...Map.groupBy(blocking, ({ creditType }) => creditType)].map(([creditType, ofType]) => ({
    workspaceId,
    customerId,
    creditType,
    required: sumOf(ofType.map(({ credits }) => credits)),
  }));
}

class LockedCreditClaims implements LockedClaims {
  private readonly wallets: ReadonlyMap<string, ChargeableWallet>;
  private readonly chargedWallets: ChargeableWallets;

  constructor(
    private readonly tx: Queryable,
    private readonly rows: ReadonlyMap<string, WalletRow>,
  ) {
    this.wallets = new Map([...rows].map(([id, row]) => [id, new ChargeableWallet(row)]));
    this.chargedWallets = new ChargeableWallets(this.wallets);
  }

  check(event: ClaimingRow): EventRefusal | undefined {
    return this.chargedWallets.check(event);
  }

  take(event: ClaimingRow): readonly CreditCharge[] {
    return this.chargedWallets.take(event);
  }

  async writeDecisions(): Promise<void> {
    const changed = [...this.wallets].filter(([, { hasNewDraws: hasChanged }]) => hasChanged);
    if (changed.length === 0) return;
    await saveUnsettledDraws(
      this.tx,
      changed.map(([id, { unsettled }]) => [this.rows.get(id)!, unsettled]),
    );
  }
}
