import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { compareTexts } from '#libs/kernel/core';
import type { CreditCharge, ClaimingRow, GateWriteCall, EventRefusal, CachedClaims } from '#libs/usage';
import { readRows, type WalletRow, type WalletRowKey } from '../wallets/wallet-rows.js';
import { walletId } from '../wallets/wallet.js';
import { ChargeableWallet, ChargeableWallets } from './chargeable-wallets.js';

/**
 * The maximum number of blocks that a process remembers. A wallet without blocks counts as one block. Each block takes about a kilobyte of
 * memory.
 */
const MAX_REMEMBERED_BLOCKS = 50_000;
/** The version of a wallet that has no row. */
const NO_ROW = -1n;

/**
 * The copy of a wallet that this process keeps in memory. The copy is up to date if the wallet's row in `credits.wallets` has the same
 * `version`, and no command is changing the wallet. `settlementCount` is the number of settlements of the wallet that have begun.
 */
interface RememberedWallet {
  readonly key: WalletRowKey;
  version: bigint;
  settlementCount: bigint;
  /** Undefined if the wallet has no row in `credits.wallets`. */
  readonly wallet: ChargeableWallet | undefined;
}

/** The wallets that a process has recently charged. */
export class RememberedWallets {
  private readonly known = new LRUCache<string, RememberedWallet>({
    maxSize: MAX_REMEMBERED_BLOCKS,
    sizeCalculation: ({ wallet }) => Math.max(1, wallet?.blockCount ?? 0),
  });

  constructor(private readonly pool: Pool) {}

  /**
   * Returns the copies of these wallets, to which events can be charged. Wallets that are not in memory are read from the database. Returns
   * undefined if a command is changing one of the wallets that are read from the database. Returns undefined also if a wallet needs a row
   * and has none.
   */
  async readCachedClaims(
    keys: ReadonlyMap<string, WalletRowKey & { readonly needsRow: boolean }>,
  ): Promise<CachedClaims | undefined> {
    const wallets = new Map<string, RememberedWallet>();
    const missing = new Map<string, WalletRowKey>();
    for (const [id, key] of keys) {
      const known = this.known.get(id);
      if (known) wallets.set(id, known);
      else missing.set(id, key);
    }
    if (missing.size > 0) {
      const rows = await readRows(this.pool, [...missing.values()]);
      if (rows.some(({ changing }) => changing)) return undefined;
      const found = new Map(rows.map((row) => [walletId(row.workspaceId, row), row]));
      for (const [id, key] of missing) {
        const wallet = remember(key, found.get(id));
        this.known.set(id, wallet);
        wallets.set(id, wallet);
      }
    }
    for (const [id, { needsRow }] of keys)
      if (needsRow && !wallets.get(id)!.wallet) {
        this.known.delete(id);
        return undefined;
      }
    return new ClaimsOnRememberedWallets(wallets, this.known);
  }

  /** Removes the copies of wallets whose rows are about to be changed directly in the database. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) this.known.delete(id);
  }
}

function remember(key: WalletRowKey, row: WalletRow | undefined): RememberedWallet {
  if (!row) return { key, version: NO_ROW, settlementCount: 0n, wallet: undefined };
  return {
    key,
    version: row.version,
    settlementCount: row.settlementCount,
    wallet: new ChargeableWallet(row),
  };
}

function compareKeys(a: WalletRowKey, b: WalletRowKey): number {
  return (
    compareTexts(a.workspaceId, b.workspaceId) ||
    compareTexts(a.customerId, b.customerId) ||
    compareTexts(a.creditType, b.creditType)
  );
}

class ClaimsOnRememberedWallets implements CachedClaims {
  private readonly chargedWallets: ChargeableWallets;
  private drawn: readonly RememberedWallet[] = [];

  constructor(
    private readonly wallets: ReadonlyMap<string, RememberedWallet>,
    private readonly known: LRUCache<string, RememberedWallet>,
  ) {
    this.chargedWallets = new ChargeableWallets(
      new Map([...wallets].flatMap(([id, { wallet }]) => (wallet ? [[id, wallet]] : []))),
    );
  }

  check(event: ClaimingRow): EventRefusal | undefined {
    return this.chargedWallets.check(event);
  }

  take(event: ClaimingRow): readonly CreditCharge[] {
    return this.chargedWallets.take(event);
  }

  createWriteCall(): GateWriteCall {
    // Sort by key: all writers lock wallets in this order.
    const all = [...this.wallets.values()].sort((a, b) => compareKeys(a.key, b.key));
    this.drawn = all.filter(({ wallet }) => wallet?.hasNewDraws);
    return {
      name: 'credits.draw_down',
      values: [
        all.map(({ key }) => key.workspaceId),
        all.map(({ key }) => key.customerId),
        all.map(({ key }) => key.creditType),
        all.map(({ version }) => String(version)),
        all.map(({ settlementCount }) => String(settlementCount)),
        all.map(({ wallet }) => (wallet?.hasNewDraws ? JSON.stringify(wallet.unsettled) : null)),
        all.map(({ wallet }) => (wallet?.hasNewDraws ? JSON.stringify(wallet.newDraws) : null)),
      ],
    };
  }

  /**
   * Called after the database has stored the events and the draws of credits. `answer` lists the current `settlementCount` of each wallet
   * in `drawn`, in the order of `drawn`.
   */
  onStored(answer: unknown): void {
    const settlementCounts = answer as readonly (string | bigint | number)[];
    for (const [i, remembered] of this.drawn.entries()) {
      const settlementCount = BigInt(settlementCounts[i]!);
      remembered.version++;
      remembered.wallet!.endEventGroup(settlementCount !== remembered.settlementCount);
      remembered.settlementCount = settlementCount;
    }
  }

  onFailed(): void {
    for (const id of this.wallets.keys()) this.known.delete(id);
  }
}
