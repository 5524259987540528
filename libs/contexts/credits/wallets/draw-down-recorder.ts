import { Injectable } from '@nestjs/common';
import pMap from 'p-map';
import { Pool } from 'pg';
import { BackgroundWorker } from '#libs/kernel/app';
import { SnapshotUpdater } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { repeatWork, type Logger } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  freezeUnsettledDraws,
  lockRows,
  saveSettledWallets,
  readInterruptedWallets,
  type SettledWallet,
  type WalletRow,
  type WalletRowKey,
} from './wallet-rows.js';
import { settlementCommandContext, settlementEvents } from './settlement.js';
import { WalletStore } from './wallet-store.js';
import { walletDecider } from './decider.js';
import { walletId } from './wallet.js';

/** The milliseconds between two runs of the recorder. */
const INTERVAL_MILLIS = 100;
/**
 * The milliseconds for which draws of a wallet are collected into one event. A shorter collection time would write many events that nobody
 * needs.
 */
const COLLECT_MILLIS = 900;
const MAX_WALLETS = 500;
const APPENDS_AT_ONCE = 32;
/**
 * A change of a wallet that takes longer than this time counts as interrupted. Normally a change takes some milliseconds. Recording the
 * draws of a wallet is such a change.
 */
const INTERRUPTED_MILLIS = 5_000;

/**
 * Records in the streams of wallets the credits that usage has drawn. A wallet in use gets about one event a second. Several processes can
 * run this worker, but only one process at a time records the draws of a wallet.
 */
@Injectable()
export class DrawDownRecorder extends BackgroundWorker {
  override readonly name = 'draw-downs';

  constructor(
    private readonly pool: Pool,
    private readonly snapshots: SnapshotUpdater,
    private readonly wallets: WalletStore,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const record = async (): Promise<void> => {
      while ((await this.record(COLLECT_MILLIS)) === MAX_WALLETS && !signal.aborted);
      const interrupted = await readInterruptedWallets(this.pool, {
        minAgeMillis: INTERRUPTED_MILLIS,
        limit: MAX_WALLETS,
      });
      for (const key of interrupted) await this.complete(key, logger);
    };
    await repeatWork(signal, INTERVAL_MILLIS, record, ({ message }) =>
      logger.warn({ error: message }, 'the credits that usage has drawn could not be recorded, trying again'),
    );
  }

  /** Records the draws of all stored usage of a workspace. The clock of a sandbox is moved only after this call. */
  async recordAll(workspaceId: string): Promise<void> {
    while ((await this.record(0, workspaceId)) > 0);
    for (let found = MAX_WALLETS; found === MAX_WALLETS;) {
      const part = { minAgeMillis: 0, limit: MAX_WALLETS, workspaceId };
      const unfinished = await readInterruptedWallets(this.pool, part);
      for (const key of unfinished) await this.wallets.settle(key);
      found = unfinished.length;
    }
  }

  /**
   * Completes an interrupted change of a wallet. If the completion fails, the error is logged, so that the other wallets are not blocked.
   */
  private async complete(key: WalletRowKey, logger: Logger): Promise<void> {
    try {
      await this.wallets.settle(key);
    } catch (error) {
      logger.warn(
        { error: (error as Error).message, ...key },
        'a change of a wallet was interrupted and could not be completed, trying again',
      );
    }
  }

  /** Records the draws of some wallets whose draws have waited for at least `minAgeMillis`. Returns the number of these wallets. */
  private async record(minAgeMillis: number, workspaceId?: string): Promise<number> {
    const frozen = await freezeUnsettledDraws(this.pool, {
      minAgeMillis,
      limit: MAX_WALLETS,
      ...(workspaceId === undefined ? {} : { workspaceId }),
    });
    if (frozen.length === 0) return 0;
    const settled = await pMap(frozen, (row) => this.append(row), { concurrency: APPENDS_AT_ONCE });
    const appended = settled.filter((one) => one !== undefined);
    await inTransaction(this.pool, async (tx) => {
      // Ingestion of usage locks wallets in the same order, so the two cannot block each other for ever.
      await lockRows(
        tx,
        appended.map(({ row }) => row),
      );
      await saveSettledWallets(tx, appended);
    });
    return frozen.length;
  }

  /**
   * Appends the draws in `settling` of a wallet's row as an event. Returns undefined if the wallet's stream has events that the wallet's
   * row does not include. In that case, `complete` records the draws later.
   */
  private async append(row: WalletRow): Promise<SettledWallet | undefined> {
    const context = settlementCommandContext(row, await this.clock.now(row.workspaceId));
    const events = settlementEvents(row, row.state, context.now);
    const id = walletId(row.workspaceId, row);
    const snapshot = await this.snapshots.append(walletDecider, id, context, row, events);
    return snapshot?.state && { row, state: snapshot.state, revision: snapshot.revision };
  }
}
