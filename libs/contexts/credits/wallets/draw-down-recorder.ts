import { Injectable } from '@nestjs/common';
import pMap from 'p-map';
import { Pool } from 'pg';
import { WaitingItemsWorker, type WaitingPart } from '#libs/kernel/app';
import { SnapshotUpdater } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import {
  freezeUnsettledDraws,
  lockRows,
  saveSettledWallets,
  type SettledWallet,
  type WalletRow,
} from './wallet-rows.js';
import { InterruptedWalletCompleter } from './interrupted-wallet-completer.js';
import { settlementCommandContext, settlementEvents } from './settlement.js';
import { TrialUsage } from './trial-finder.js';
import { walletDecider } from './decider.js';
import { walletId } from './wallet.js';

const APPENDS_AT_ONCE = 32;

/**
 * Records in the streams of wallets the credits that usage has drawn. A wallet in use gets about one event a second. Several processes can
 * run this worker, but only one process at a time records the draws of a wallet.
 */
@Injectable()
export class DrawDownRecorder extends WaitingItemsWorker<WalletRow> {
  override readonly name = 'draw-downs';
  /** Draws of a wallet are collected into one event. A shorter collection time would write many events that nobody needs. */
  protected override readonly pace = { intervalMillis: 100, collectMillis: 900, limit: 500 };
  protected override readonly messages = {
    searchFailed: 'the credits that usage has drawn could not be recorded, trying again',
    itemFailed: 'the credits that usage has drawn of a wallet could not be recorded, trying again',
  };

  constructor(
    private readonly pool: Pool,
    private readonly snapshots: SnapshotUpdater,
    private readonly interrupted: InterruptedWalletCompleter,
    private readonly clock: WorkspaceClock,
    private readonly trials: TrialUsage,
  ) {
    super();
  }

  /** Records the draws of all stored usage of a workspace. The clock of a sandbox is moved only after this call. */
  override async recordAll(workspaceId: string): Promise<void> {
    await super.recordAll(workspaceId);
    await this.interrupted.recordAll(workspaceId);
  }

  /** Freezes the draws of wallets. If recording them fails, {@link InterruptedWalletCompleter} records the frozen draws later. */
  protected override take(part: WaitingPart): Promise<WalletRow[]> {
    return freezeUnsettledDraws(this.pool, part);
  }

  protected override perform(row: WalletRow): Promise<void> {
    return this.performAll([row]);
  }

  /** Records the draws of many wallets, and saves all wallets in one transaction. */
  protected override async performAll(frozen: readonly WalletRow[]): Promise<void> {
    if (frozen.length === 0) return;
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
  }

  protected override logFieldsOf({ workspaceId, customerId, creditType }: WalletRow) {
    return { workspaceId, customerId, creditType };
  }

  /**
   * Appends the draws in `settling` of a wallet's row as an event. Returns undefined if the wallet's stream has events that the wallet's
   * row does not include. In that case, {@link InterruptedWalletCompleter} records the draws later.
   */
  private async append(row: WalletRow): Promise<SettledWallet | undefined> {
    const context = settlementCommandContext(row, await this.clock.now(row.workspaceId));
    const inTrial = await this.trials.isOfTrial(this.pool, row, row.settling ?? [], context.now);
    const events = settlementEvents(row, row.state, context.now, inTrial);
    const id = walletId(row.workspaceId, row);
    const snapshot = await this.snapshots.append(walletDecider, id, context, row, events);
    return snapshot?.state && { row, state: snapshot.state, revision: snapshot.revision };
  }
}
