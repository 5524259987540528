import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { AppError, Unavailable } from '#libs/kernel/core';
import { fold } from '#libs/kernel/domain';
import { SnapshotUpdater, StreamReader, type CommandContext, type Snapshot } from '#libs/kernel/event-store';
import { inTransaction, type Queryable } from '#libs/kernel/postgres';
import { Backoff, KeyedConcurrencyLimits } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import type { WalletEvent } from './events.js';
import { commandRevisions, isWalletEvent } from './wallet-history.js';
import {
  addCommandIds,
  markWalletChanging,
  lockRows,
  readRowsOfCustomer,
  revisionOfCommand,
  saveState,
  type WalletRowKey,
} from './wallet-rows.js';
import { walletDecider } from './decider.js';
import type { WalletCommand } from './decisions/wallet-command.js';
import {
  walletCommandContext,
  settlementCommandContext,
  settlementEvents,
  topUpBlockIdOf,
} from './settlement.js';
import { TrialUsage } from './trial-finder.js';
import { initialState, walletId, type Wallet } from './wallet.js';

/** A command on a wallet, without the fields that the store adds: the key, the time and the id of a top-up. */
export type WalletChange = WalletCommand extends infer One
  ? One extends WalletCommand
    ? Omit<One, 'customerId' | 'creditType' | 'at' | 'topUpBlockId'>
    : never
  : never;

/**
 * The result of a change. `events` lists the events of the change. `events` is empty if the change had run before, or if it had no effect.
 * `revision` is the revision of the first event of the change. If the change had no effect, `revision` is that of the wallet's last event.
 */
export interface WalletChangeResult {
  readonly wallet: Wallet;
  readonly events: readonly WalletEvent[];
  readonly revision: bigint;
}

interface RequestedChange {
  readonly change: WalletChange;
  readonly precondition: (() => Promise<void>) | undefined;
}

/** The number of milliseconds for which a change waits and retries. */
const RETRY_MILLIS = 5_000;
const MAX_WAITING = 1_000;
const AFTER_UNAVAILABLE = { firstMillis: 50, maxMillis: 500 };
/** The milliseconds after which another process treats a running change as interrupted. */
const CHANGE_MILLIS = 100;
const LOOK_MILLIS = 5;
/** The maximum number of events that are read from a wallet's stream to find the events of one change. A change has fewer events. */
const MAX_EVENTS_OF_CHANGE = 20;

/**
 * Changes wallets. A wallet's row in Postgres contains its current state, because usage changes wallets too often to read the stream each
 * time.
 *
 * A change first marks the wallet's row, then locks the row, appends to the stream, and stores the new state. Usage is not charged to a
 * marked wallet. If the process stops during a change, the next process that needs the wallet finds the mark on the row. The process that
 * finds the mark reads the events that the row does not include from the stream.
 */
@Injectable()
export class WalletStore {
  private readonly turns = new KeyedConcurrencyLimits({
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    waitMillis: RETRY_MILLIS,
    createRefusal: tooManyAtWork,
  });

  constructor(
    private readonly pool: Pool,
    private readonly snapshots: SnapshotUpdater,
    private readonly streams: StreamReader,
    private readonly clock: WorkspaceClock,
    private readonly trials: TrialUsage,
  ) {}

  /**
   * Records all stored usage of a wallet, and then changes the wallet. If a command with the same id has run before, nothing changes.
   * Throws the errors of the decider and of `precondition`. Throws Unavailable if the event store does not answer, or if too many changes
   * of the wallet wait.
   *
   * @param precondition throws an AppError if the change must not be made. No other change of the wallet can happen between the check of
   * `precondition` and the change. `precondition` may read streams. `precondition` must not take a connection from the process's pool,
   * because the change holds one already.
   */
  async change(
    context: CommandContext,
    key: WalletRowKey,
    change: WalletChange,
    precondition?: () => Promise<void>,
  ): Promise<WalletChangeResult> {
    return this.turns.run(walletId(key.workspaceId, key), () =>
      this.run(context, key, { change, precondition }),
    );
  }

  /** Tells whether a command has changed the wallet before. */
  async hasRunCommand({ commandId }: CommandContext, key: WalletRowKey): Promise<boolean> {
    return (await revisionOfCommand(this.pool, key, commandId)) !== undefined;
  }

  /** Tells whether a command is a repetition of one that has changed the wallet. Reads nothing for a command that is no repetition. */
  async isRepeated(context: CommandContext, key: WalletRowKey): Promise<boolean> {
    return context.mayRepeat && (await this.hasRunCommand(context, key));
  }

  /**
   * Returns the first event of a change. If the change had run before, the event is read from the stream. If two requests have the same
   * idempotency key, the event has the fields of the first request.
   */
  async firstEventOfChange(
    key: WalletRowKey,
    { events, revision }: WalletChangeResult,
  ): Promise<WalletEvent> {
    const id = walletId(key.workspaceId, key);
    const stream = `${walletDecider.category}-${id}`;
    const [event] =
      events.length > 0 ? events : await this.streams.read(stream, { fromRevision: revision, maxCount: 1 });
    if (!event) throw new Error(`The wallet ${id} has no event ${revision}`);
    return event as WalletEvent;
  }

  /**
   * Returns all events of a change. If the change had run before, its events are read from the stream. The result is empty if the command
   * did not change the wallet.
   */
  async eventsOfChange(
    context: CommandContext,
    key: WalletRowKey,
    { events, revision }: WalletChangeResult,
  ): Promise<readonly WalletEvent[]> {
    return events.length > 0 ? events : this.storedEvents(context, key, revision);
  }

  private async storedEvents(
    { commandId }: CommandContext,
    key: WalletRowKey,
    revision: bigint,
  ): Promise<readonly WalletEvent[]> {
    const stream = `${walletDecider.category}-${walletId(key.workspaceId, key)}`;
    const since = await this.streams.read(stream, {
      fromRevision: revision,
      maxCount: MAX_EVENTS_OF_CHANGE,
    });
    return since.filter((event) => event.metadata.commandId === commandId).filter(isWalletEvent);
  }

  /** Returns all events of a command on a wallet. Returns no event if the command never changed the wallet. */
  async eventsOfCommand(context: CommandContext, key: WalletRowKey): Promise<readonly WalletEvent[]> {
    const revision = await revisionOfCommand(this.pool, key, context.commandId);
    return revision === undefined ? [] : this.storedEvents(context, key, revision);
  }

  /** Records all usage of a wallet in its stream, and completes a change that was interrupted. */
  async settle(key: WalletRowKey): Promise<void> {
    const context = walletCommandContext(key, 'settle', await this.clock.now(key.workspaceId));
    await this.turns.run(walletId(key.workspaceId, key), () => this.run(context, key, undefined));
  }

  /** Records all usage of a customer's wallets in their streams. */
  async settleAll(workspaceId: string, customerId: string): Promise<void> {
    for (const row of await readRowsOfCustomer(this.pool, workspaceId, customerId))
      if (row.settling !== null || row.unsettled.length > 0)
        await this.settle({ workspaceId, customerId, creditType: row.creditType });
  }

  /** Waits until a wallet is no longer being changed. An interrupted change is completed. */
  async waitUntilChangeEnds(key: WalletRowKey): Promise<void> {
    const backoff = new Backoff(CHANGE_MILLIS);
    while (!backoff.isOver) {
      // The process that changes the wallet holds a lock on its row, so this read waits for it.
      const [row] = await inTransaction(this.pool, (tx) => lockRows(tx, [key]));
      if (!row?.changing) return;
      await delay(LOOK_MILLIS);
    }
    await this.settle(key);
  }

  private async run(
    context: CommandContext,
    key: WalletRowKey,
    requested: RequestedChange | undefined,
  ): Promise<WalletChangeResult> {
    const backoff = new Backoff(RETRY_MILLIS);
    // An attempt may have stored its events although its answer was lost, and another process may have completed the change. So each
    // further attempt first checks whether the command has run.
    for (let mayRepeat = context.mayRepeat; ; mayRepeat = true) {
      try {
        await markWalletChanging(this.pool, key);
        const attempt = { ...context, mayRepeat };
        const outcome = await inTransaction(this.pool, (tx) => this.runLocked(tx, attempt, key, requested));
        if (outcome instanceof AppError) throw outcome;
        if (outcome) return outcome;
        if (backoff.isOver) throw tooManyAtWork();
      } catch (error) {
        if (!(error instanceof Unavailable) || backoff.isOver) throw error;
        await backoff.wait(AFTER_UNAVAILABLE);
      }
    }
  }

  /**
   * Runs a change on a locked wallet. Returns undefined if the change must begin again, for example because its mark was removed, or
   * because the wallet has further draws to record. An error of the decider is returned and not thrown, so that the settlement before the
   * change is still stored.
   */
  private async runLocked(
    tx: Queryable,
    context: CommandContext,
    key: WalletRowKey,
    requested: RequestedChange | undefined,
  ): Promise<WalletChangeResult | AppError | undefined> {
    const [row] = await lockRows(tx, [key]);
    if (!row?.changing) return undefined;
    const id = walletId(key.workspaceId, key);
    const newest = await this.snapshots.readNewest(walletDecider, id, row);
    const revisions = commandRevisions(newest.since);
    await addCommandIds(tx, key, revisions);
    let snapshot: Snapshot<Wallet> | undefined = newest;

    const inTrial = await this.trials.isOfTrial(tx, row, row.settling ?? [], context.now);
    const settlement = settlementEvents(row, snapshot.state, context.now, inTrial);
    if (settlement.length > 0) {
      // Do not read the clock here. The read would need a second connection, and if all connections were in use, their transactions would
      // wait for each other.
      const own = settlementCommandContext(row, context.now);
      snapshot = await this.snapshots.append(walletDecider, id, own, snapshot, settlement);
      if (!snapshot) return undefined;
    }
    const stored = (changing: boolean, { state, revision }: Snapshot<Wallet>) =>
      saveState(tx, key, { state: state ?? initialState(key), revision, changing });
    if (row.unsettled.length > 0) {
      await stored(true, snapshot);
      return undefined;
    }
    const { state = initialState(key), revision } = snapshot;
    const ranAt =
      revisions.get(context.commandId) ??
      (context.mayRepeat ? await revisionOfCommand(tx, key, context.commandId) : undefined);
    if (requested === undefined || ranAt !== undefined) {
      await stored(false, snapshot);
      return { wallet: state, events: [], revision: ranAt ?? revision };
    }
    const { customerId, creditType } = key;
    let events: WalletEvent[];
    try {
      await requested.precondition?.();
      const topUpBlockId = topUpBlockIdOf(id, context.commandId);
      events = walletDecider.decide(
        { ...requested.change, customerId, creditType, at: context.now, topUpBlockId },
        state,
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await stored(false, snapshot);
      return error;
    }
    if (events.length > 0) {
      const changed = await this.snapshots.append(walletDecider, id, context, snapshot, events);
      if (!changed) return undefined;
      snapshot = changed;
      await addCommandIds(tx, key, new Map([[context.commandId, firstRevision(changed, events)]]));
    }
    await stored(false, snapshot);
    return { wallet: fold(walletDecider, events, state)!, events, revision: firstRevision(snapshot, events) };
  }
}

/**
 * Returns the revision of the first of `events`. `revision` is the revision of the last of `events`. If `events` is empty, the result is
 * `revision`.
 */
function firstRevision(
  { revision }: Pick<Snapshot<Wallet>, 'revision'>,
  events: readonly WalletEvent[],
): bigint {
  return revision - BigInt(Math.max(events.length - 1, 0));
}

function tooManyAtWork(): Unavailable {
  return new Unavailable(
    'too_many_at_work',
    'Too many changes of the same wallet wait for their turn; try again shortly',
  );
}
