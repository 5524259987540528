import type { Pool } from 'pg';
import type { StreamReader } from '#libs/kernel/event-store';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { sumChargesInLog, commandRevisions, foldWalletEvents, walletEventPages } from './wallet-history.js';
import {
  addCommandIds,
  markWalletChanging,
  lockRows,
  replaceRow,
  type WalletRow,
  type WalletRowKey,
} from './wallet-rows.js';
import { initialState, type Wallet } from './wallet.js';

/** Computes the rows of wallets anew from their streams and the usage log. Clients can send usage during the rebuild. */
export class WalletRebuilder {
  constructor(
    private readonly pool: Pool,
    private readonly streams: StreamReader,
  ) {}

  /** Replaces the row of a wallet. Usage of the wallet waits until its row is replaced. */
  async rebuild(key: WalletRowKey): Promise<void> {
    for (let isDone = false; !isDone;) {
      await markWalletChanging(this.pool, key);
      isDone = await inTransaction(this.pool, async (tx) => {
        const [row] = await lockRows(tx, [key]);
        if (!row?.changing) return false;
        await this.replace(tx, row);
        return true;
      });
    }
  }

  private async replace(tx: Queryable, row: WalletRow): Promise<void> {
    let state: Wallet | undefined;
    let revision = -1n;
    for await (const page of walletEventPages(this.streams, row)) {
      await addCommandIds(tx, row, commandRevisions(page));
      state = foldWalletEvents(state, page);
      revision = page.at(-1)!.revision;
    }
    const wallet = state ?? initialState(row);
    // Draws that another process is appending at this moment stay frozen, so that they become a separate event.
    const settlingTo =
      row.settlingTo !== null && BigInt(row.settlingTo) > BigInt(wallet.drawnUpTo) ? row.settlingTo : null;
    const charged = await sumChargesInLog(tx, row, wallet.drawnUpTo, settlingTo === null ? [] : [settlingTo]);
    await replaceRow(tx, row, {
      state: wallet,
      revision,
      settlingTo,
      settling: settlingTo === null ? null : (charged.get(0) ?? []),
      unsettled: charged.get(settlingTo === null ? 0 : 1) ?? [],
    });
  }
}
