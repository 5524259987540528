import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { WaitingItemsWorker, type WaitingPart } from '#libs/kernel/app';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { walletDecider } from './decider.js';
import { deleteRefusalNote, readRefusalNotes, type RefusalNote } from './refusal-notes.js';
import { walletCommandContext } from './settlement.js';
import { currentWallet, readRows } from './wallet-rows.js';
import { WalletStore } from './wallet-store.js';

/**
 * Records in the streams of wallets that usage was refused, because it costs more credits than the balance. The wallet then tells that its
 * balance is low, and its automatic top-up buys. Several processes can run this worker.
 */
@Injectable()
export class RefusalRecorder extends WaitingItemsWorker<RefusalNote> {
  override readonly name = 'credit-refusals';
  /** The refusals of a wallet are collected for some time, so that a client that keeps sending costs little. */
  protected override readonly pace = { intervalMillis: 100, collectMillis: 900, limit: 500 };
  protected override readonly messages = {
    searchFailed: 'usage that wallets were refused could not be read, trying again',
    itemFailed: 'usage that a wallet was refused could not be recorded, trying again',
  };

  constructor(
    private readonly pool: Pool,
    private readonly wallets: WalletStore,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  protected override take(part: WaitingPart): Promise<RefusalNote[]> {
    return readRefusalNotes(this.pool, part);
  }

  protected override async perform(note: RefusalNote): Promise<void> {
    const { workspaceId, customerId, creditType, noteId, required } = note;
    const key = { workspaceId, customerId, creditType };
    const now = await this.clock.now(workspaceId);
    const change = { type: 'RecordRefusal', required } as const;
    const [row] = await readRows(this.pool, [key]);
    const command = { ...change, customerId, creditType, at: now, topUpBlockId: noteId };
    // A change makes the usage of the wallet wait, so it is made only if it has an effect.
    if (row && walletDecider.decide(command, currentWallet(row)).length > 0)
      await this.wallets.change(walletCommandContext(key, `refused ${noteId}`, now), key, change);
    await deleteRefusalNote(this.pool, note);
  }

  protected override logFieldsOf({ workspaceId, customerId, creditType }: RefusalNote) {
    return { workspaceId, customerId, creditType };
  }
}
