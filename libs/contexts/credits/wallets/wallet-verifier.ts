import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import type { StreamReader } from '#libs/kernel/event-store';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { sumChargesInLog, drawDifferences, foldWalletEvents, walletEventPages } from './wallet-history.js';
import { readRows, type WalletRow, type WalletRowKey } from './wallet-rows.js';
import type { UsageDraw, WalletEvent } from './events.js';
import { initialState, type Wallet } from './wallet.js';

/** The number of settlements that one query compares with the usage log. */
const SETTLEMENTS = 5_000;

type Settlement = Extract<WalletEvent, { type: 'CreditsDrawnDown' }>['data'];

/** Compares wallets with their streams and with the usage log. Usage and commands can continue during the comparison. */
export class WalletVerifier {
  constructor(
    private readonly pool: Pool,
    private readonly streams: StreamReader,
  ) {}

  /**
   * Returns a text for each difference that is found in a wallet. Compares the stored state with the stream, and each recorded use of
   * credits with the charges in the usage log. The result is empty if the wallet has no differences.
   */
  async verify(key: WalletRowKey): Promise<string[]> {
    return inTransaction(this.pool, async (tx) => {
      // One snapshot shows the row and the usage log at the same moment. The stream is read up to the revision of the row.
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const [row] = await readRows(tx, [key]);
      return row ? this.compare(tx, row) : this.missing(key);
    });
  }

  private async missing(key: WalletRowKey): Promise<string[]> {
    for await (const _ of walletEventPages(this.streams, key, 0n))
      return ['the wallet has a stream, but no row in credits.wallets'];
    return [];
  }

  private async compare(tx: Queryable, row: WalletRow): Promise<string[]> {
    const differences: string[] = [];
    let state: Wallet | undefined;
    let pending: Settlement[] = [];
    let drawnUpTo = '0';
    for await (const page of walletEventPages(this.streams, row, row.revision)) {
      for (const { type, data } of page) {
        if (type !== 'CreditsDrawnDown') continue;
        if (data.usage.after !== drawnUpTo)
          differences.push(
            `the use of credits up to ${data.usage.upTo} begins after ${data.usage.after}, and the one before it ends at ${drawnUpTo}`,
          );
        drawnUpTo = data.usage.upTo;
        pending.push(data);
      }
      state = foldWalletEvents(state, page);
      if (pending.length >= SETTLEMENTS) {
        differences.push(...(await this.compareSettlements(tx, row, pending)));
        pending = [];
      }
    }
    differences.push(...(await this.compareSettlements(tx, row, pending)));
    differences.push(...stateDifferences(row.state, state));
    const ends = row.settlingTo === null ? [] : [row.settlingTo];
    const charged = await sumChargesInLog(tx, row, drawnUpTo, ends);
    const compareOpen = (what: string, own: readonly UsageDraw[], span: number): void => {
      for (const difference of drawDifferences(own, charged.get(span) ?? []))
        differences.push(`${what}: ${difference}`);
    };
    if (row.settling !== null) compareOpen('being recorded', row.settling, 0);
    compareOpen('not recorded yet', row.unsettled, ends.length);
    return differences;
  }

  private async compareSettlements(
    tx: Queryable,
    key: WalletRowKey,
    settlements: readonly Settlement[],
  ): Promise<string[]> {
    const [first, last] = [settlements[0], settlements.at(-1)];
    if (!first || !last) return [];
    const ends = settlements.map(({ usage }) => usage.upTo);
    const charged = await sumChargesInLog(tx, key, first.usage.after, ends, { through: last.usage.upTo });
    return settlements.flatMap(({ usage, draws }, span) =>
      drawDifferences(draws, charged.get(span) ?? []).map(
        (difference) => `used up to position ${usage.upTo} of the usage log: ${difference}`,
      ),
    );
  }
}

/** Returns the fields of a wallet's stored state that differ from the state computed from the stream. */
function stateDifferences(stored: Wallet, folded: Wallet = initialState(stored)): string[] {
  return (Object.keys(folded) as (keyof Wallet)[])
    .filter((part) => !isDeepStrictEqual(stored[part], folded[part]))
    .map((part) => {
      if (part !== 'blocks')
        return `${part} is ${JSON.stringify(stored[part])}, and by the stream it is ${JSON.stringify(folded[part])}`;
      return `the blocks with credits left are ${blocksText(stored)}, and by the stream they are ${blocksText(folded)}`;
    });
}

function blocksText({ blocks }: Wallet): string {
  return blocks.map(({ blockId, remaining }) => `${blockId} ${remaining}`).join(', ') || 'none';
}
