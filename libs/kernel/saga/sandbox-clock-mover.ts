import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { addSeconds, Conflict, InvalidRequest, Unavailable, type Instant } from '#libs/kernel/core';
import { monotonicSeconds, WakeUp } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import type { Position } from '#libs/kernel/domain';
import { LockBusy, type AdvisoryLocks, type NotificationListener } from '#libs/kernel/postgres';
import type { WorkspaceClock, ClockReading } from '#libs/kernel/workspaces';
import { loadReactorPositions } from './checkpoints.js';
import { POSITION_MOVED_PAYLOAD, PROGRESS_CHANNEL } from './stored-tasks.js';
import { TaskProgressReader } from './task-progress-reader.js';
import { TaskStore } from './task-store.js';

/**
 * After this time without a progress notification from a worker, an advance of a sandbox's clock gives up. With this limit, the caller of
 * an advance that makes no progress gets an answer within ten seconds.
 */
const STALLED_SECONDS = 8;
/** The time after which a waiting advance checks again that the event store answers, in seconds. */
const ASK_STORE_SECONDS = 2;
/**
 * The largest advance of a clock in one request. An advance bills each period end up to its target, so with a mistyped year it would run
 * almost for ever.
 */
const MAX_DAYS = 5 * 366;
/** The time after which an advance checks the tasks again without a notification. */
const RECHECK_MILLIS = 500;
/** The longest pause of an advance after a notification, so that one check of the tasks serves many notifications. */
const MAX_PAUSE_MILLIS = 50;

/** The settings of {@link SandboxClockMover}. */
export interface SandboxClockMoverOptions {
  /** The time without progress after which an advance gives up. */
  readonly stalledSeconds?: number | undefined;
  /** Called before the clock moves, to store tasks for pending work that is kept outside of the task store. */
  readonly storePendingWork?: (workspaceId: string) => Promise<void>;
}

/** Moves a sandbox's clock forward. The clock stops at every instant at which something is due, until all work is done. */
export class SandboxClockMover {
  private readonly store: TaskStore;
  private readonly progress: TaskProgressReader;

  /** `locks` must not be shared with a caller that holds a lock while it waits for an advance. */
  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
    private readonly feed: EventFeed,
    private readonly listener: NotificationListener,
    private readonly locks: AdvisoryLocks,
    private readonly options: SandboxClockMoverOptions = {},
  ) {
    this.store = new TaskStore(pool);
    this.progress = new TaskProgressReader(pool);
  }

  /**
   * Moves the clock to `to`, and performs due tasks in the order of their times. Two advances of one workspace run one after another. A
   * running task of a living worker counts as progress, however long the task takes. Throws:
   *
   * - InvalidRequest for a time before the workspace's time or more than 1,830 days (about five years) after it, and for a live workspace
   * - Conflict (`clock_in_motion`) if another advance takes too long
   * - Unavailable (`clock_stalled`) if a due task is not finished, or (`too_many_at_work`) if too many clocks are being moved
   */
  async advance(
    workspaceId: string,
    to: Instant,
  ): Promise<ClockReading & { position: Position | undefined }> {
    await this.clock.requireSandbox(workspaceId);
    const life = new SignsOfLife(workspaceId);
    const unlisten = await this.listener.on(PROGRESS_CHANNEL, (payload) => life.onNotification(payload));
    try {
      return await this.inTurn(workspaceId, life, () => this.moveOn(workspaceId, to, life));
    } catch (error) {
      if (!(error instanceof LockBusy)) throw error;
      throw new Conflict(
        'clock_in_motion',
        'The clock is being moved by another request; try again when it is done',
      );
    } finally {
      unlisten();
    }
  }

  /**
   * Freezes the clock at any moment, even in the past. Before the clock is set, pending work is stored as tasks, with the time at which the
   * work arose. Throws the errors of {@link WorkspaceClock.freezeAt}.
   */
  async freezeAt(workspaceId: string, to: Instant): Promise<ClockReading> {
    await this.clock.requireSandbox(workspaceId);
    await this.options.storePendingWork?.(workspaceId);
    return this.clock.freezeAt(workspaceId, to);
  }

  /**
   * Moves the clock when no other advance of the workspace is running. An advance does not wait for another advance that has stalled. If
   * advances waited for a stalled one, each of them in turn would wait for the same blocked task.
   */
  private async inTurn<T>(workspaceId: string, life: SignsOfLife, move: () => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    const moved = this.locks.runLocked(`sandbox-time ${workspaceId}`, async () => {
      waiting.signal.throwIfAborted();
      waiting.abort();
      return move();
    });
    const patience = async (): Promise<T> => {
      while (!waiting.signal.aborted) {
        if (this.isSilent(life)) throw stalled('another request moves it and makes no progress');
        await delay(RECHECK_MILLIS);
      }
      return moved;
    };
    try {
      return await Promise.race([moved, patience()]);
    } finally {
      waiting.abort();
    }
  }

  private isSilent(life: SignsOfLife): boolean {
    return life.silentSeconds() > (this.options.stalledSeconds ?? STALLED_SECONDS);
  }

  private async moveOn(
    workspaceId: string,
    to: Instant,
    life: SignsOfLife,
  ): Promise<ClockReading & { position: Position | undefined }> {
    const { now } = await this.clock.read(workspaceId);
    if (to < now)
      throw InvalidRequest.field('to', `must not be before the workspace's time, ${now}`, 'clock_backwards');
    const furthest = addSeconds(now, MAX_DAYS * 86_400);
    if (to > furthest)
      throw InvalidRequest.field(
        'to',
        `must not be after ${furthest}, ${MAX_DAYS} days from the workspace's time, ${now}; go further in steps`,
        'clock_too_far',
      );
    // The clock is frozen first, because a running clock could pass due instants on the way.
    await this.clock.moveForwardTo(workspaceId, now);
    await this.options.storePendingWork?.(workspaceId);
    await this.quiet(workspaceId, life);
    for (;;) {
      const due = await this.progress.nextDueTime(workspaceId, to);
      await this.clock.moveForwardTo(workspaceId, due ?? to);
      await this.store.notifyWorkers();
      const position = await this.quiet(workspaceId, life);
      if (due === undefined) return { ...(await this.clock.read(workspaceId)), position };
    }
  }

  /**
   * Waits until every due task of the workspace is performed, and the reactor has processed every event of these tasks. Returns a log
   * position up to which all events of the performed tasks are included. Other workspaces may append events all the time. The function
   * therefore checks only that no task of this workspace has finished since the end of the log was read.
   */
  private async quiet(workspaceId: string, life: SignsOfLife): Promise<Position | undefined> {
    for (;;) {
      const lastDone = await this.progress.lastTaskEnd(workspaceId);
      const head = await this.feed.readHead();
      await this.until(life, POSITION_MOVED_PAYLOAD, async () => {
        const reached = head === undefined || (await this.reactionsHavePassed(head));
        return { reached, waitingFor: () => 'the saga process does not answer' };
      });
      await this.until(life, workspaceId, async () => {
        const reached = !(await this.progress.hasUnfinishedTasks(workspaceId));
        const waitingFor = async () =>
          (await this.progress.unfinishedTaskError(workspaceId)) ?? 'its tasks are not performed';
        return { reached, waitingFor };
      });
      if ((await this.progress.lastTaskEnd(workspaceId)) === lastDone) return head;
    }
  }

  private async reactionsHavePassed(head: Position): Promise<boolean> {
    const positions = [...(await loadReactorPositions(this.pool)).values()];
    return positions.length > 0 && positions.every((position) => position !== undefined && position >= head);
  }

  /** Checks the condition after each progress notification with this payload, and from time to time without one. */
  private async until(
    life: SignsOfLife,
    payload: string,
    look: () => Promise<{ reached: boolean; waitingFor: () => string | Promise<string> }>,
  ): Promise<void> {
    life.listenFor(payload);
    let askedStoreAt = monotonicSeconds();
    for (let looks = 1; ; looks++) {
      const { reached, waitingFor } = await look();
      if (reached) return life.note();
      if (this.isSilent(life)) throw stalled(await waitingFor());
      if (monotonicSeconds() - askedStoreAt > ASK_STORE_SECONDS) {
        // A task worker waits for the event store longer than the caller is prepared to wait.
        await this.feed.readHead();
        askedStoreAt = monotonicSeconds();
      }
      await life.next(RECHECK_MILLIS);
      // Thousands of tasks send thousands of notifications, which do not each need a check.
      await delay(Math.min(looks, MAX_PAUSE_MILLIS));
    }
  }
}

function stalled(waitingFor: string): Unavailable {
  return new Unavailable('clock_stalled', `The clock could not be moved on: ${waitingFor}`);
}

/** Distinguishes an advance that takes long from an advance that is stuck. */
class SignsOfLife {
  private last = monotonicSeconds();
  private readonly wakeUp = new WakeUp();

  /** @param expected the payload of notifications that are treated as progress */
  constructor(private expected: string) {}

  listenFor(payload: string): void {
    this.expected = payload;
  }

  onNotification(payload: string): void {
    if (payload === this.expected) this.note();
  }

  note(): void {
    this.last = monotonicSeconds();
    this.wakeUp.wake();
  }

  silentSeconds(): number {
    return monotonicSeconds() - this.last;
  }

  /** Waits for the next progress notification, or for this time. */
  async next(timeoutMillis: number): Promise<void> {
    await this.wakeUp.sleep(timeoutMillis);
    this.wakeUp.clear();
  }
}
