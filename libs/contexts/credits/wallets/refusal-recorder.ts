import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { BackgroundWorker } from '#libs/kernel/app';
import { repeatWork, type Logger } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { walletDecider } from './decider.js';
import { deleteRefusalNote, readRefusalNotes, type RefusalNote } from './refusal-notes.js';
import { walletCommandContext } from './settlement.js';
import { currentWallet, readRows } from './wallet-rows.js';
import { WalletStore } from './wallet-store.js';

/** The milliseconds between two runs of the recorder. */
const INTERVAL_MILLIS = 100;
/** The milliseconds for which the refusals of a wallet are collected, so that a client that keeps sending costs little. */
const COLLECT_MILLIS = 900;
const MAX_NOTES = 500;

/**
 * Records in the streams of wallets that usage was refused, because it costs more credits than the balance. The wallet then tells that its
 * balance is low, and its automatic top-up buys. Several processes can run this worker.
 */
@Injectable()
export class RefusalRecorder extends BackgroundWorker {
  override readonly name = 'credit-refusals';

  constructor(
    private readonly pool: Pool,
    private readonly wallets: WalletStore,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  override async run(signal: AbortSignal, logger: Logger): Promise<void> {
    const record = async (): Promise<void> => {
      for (const note of await readRefusalNotes(this.pool, {
        minAgeMillis: COLLECT_MILLIS,
        limit: MAX_NOTES,
      }))
        await this.record(note).catch((error: unknown) => {
          const { workspaceId, customerId, creditType } = note;
          logger.warn(
            { error: (error as Error).message, workspaceId, customerId, creditType },
            'usage that a wallet was refused could not be recorded, trying again',
          );
        });
    };
    await repeatWork(signal, INTERVAL_MILLIS, record, ({ message }) =>
      logger.warn({ error: message }, 'usage that wallets were refused could not be read, trying again'),
    );
  }

  /** Records all refusals of a workspace. The clock of a sandbox is moved only after this call. */
  async recordAll(workspaceId: string): Promise<void> {
    for (let count = MAX_NOTES; count === MAX_NOTES;) {
      const notes = await readRefusalNotes(this.pool, { minAgeMillis: 0, limit: MAX_NOTES, workspaceId });
      for (const note of notes) await this.record(note);
      count = notes.length;
    }
  }

  private async record(note: RefusalNote): Promise<void> {
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
}
