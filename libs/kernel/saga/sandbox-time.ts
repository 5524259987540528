import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { addSeconds, Conflict, InvalidRequest, Unavailable, type Instant } from '#libs/kernel/core';
import { elapsedSeconds, WakeUp } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import type { Position } from '#libs/kernel/domain';
import { LockBusy, type AdvisoryLocks, type NotificationListener } from '#libs/kernel/postgres';
import type { WorkspaceClock, ClockReading } from '#libs/kernel/workspaces';
import { loadPositions } from './checkpoints.js';
import { POSITION_MOVED, PROGRESS_CHANNEL } from './stored-tasks.js';
import { TaskProgress } from './task-progress.js';
import { TaskStore } from './task-store.js';

/** An advance gives up after this long without a sign of life, so that whoever asked is answered within ten seconds. */
const STALLED_SECONDS = 8;
/** An advance that waits asks this often whether the event store answers. */
const ASK_STORE_SECONDS = 2;
/** The maximum advance of a clock at once. Each boundary on the way is billed, and a year that was mistyped would not end. */
const MAX_DAYS = 5 * 366;
/** Looks again after this long without a notification. */
const RECHECK_MILLIS = 500;
/** Looks at most this long after a notification. */
const MAX_PAUSE_MILLIS = 50;

export interface SandboxTimeOptions {
  /** After how long without any progress it gives up. */
  readonly stalledSeconds?: number | undefined;
  /** Makes tasks of what waits elsewhere to become some, before the clock is moved. */
  readonly settle?: (workspaceId: string) => Promise<void>;
}

/** Moves a sandbox's clock forward, stopping at every instant at which something is due, until all is quiet. */
export class SandboxTime {
  private readonly store: TaskStore;
  private readonly progress: TaskProgress;

  /** `locks` must not be those of a caller that holds one while it waits for an advance. */
  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
    private readonly feed: EventFeed,
    private readonly listener: NotificationListener,
    private readonly locks: AdvisoryLocks,
    private readonly options: SandboxTimeOptions = {},
  ) {
    this.store = new TaskStore(pool);
    this.progress = new TaskProgress(pool);
  }

  /**
   * Moves the clock to `to`, and performs due tasks in order of their time. Two advances of one workspace at once run one after the other.
   * A task that a living worker performs is a sign of life, however long it takes.
   *
   * Throws InvalidRequest for a time before the workspace's or more than five years after it, and for a live workspace. Throws Conflict
   * (`clock_in_motion`) if another advance takes too long. Throws Unavailable (`clock_stalled`) if a due task is not finished, or
   * (`too_many_at_work`) if too many clocks are being moved.
   */
  async advance(
    workspaceId: string,
    to: Instant,
  ): Promise<ClockReading & { position: Position | undefined }> {
    await this.clock.requireSandbox(workspaceId);
    const life = new SignsOfLife(workspaceId);
    const unlisten = await this.listener.on(PROGRESS_CHANNEL, (payload) => life.hear(payload));
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
   * Moves when no other does. It does not wait for another advance that has stalled. Otherwise each advance in turn would wait for the same
   * blocked task.
   */
  private async inTurn<T>(workspaceId: string, life: SignsOfLife, move: () => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    const moved = this.locks.hold(`sandbox-time ${workspaceId}`, async () => {
      waiting.signal.throwIfAborted();
      waiting.abort();
      return move();
    });
    const patience = async (): Promise<T> => {
      while (!waiting.signal.aborted) {
        if (this.isSilent(life)) throw stalled('another request moves it and does not get on');
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
    // Freeze first: a clock that ran on could overtake the instants between.
    await this.clock.moveTo(workspaceId, now);
    await this.options.settle?.(workspaceId);
    await this.quiet(workspaceId, life);
    for (;;) {
      const due = await this.progress.nextDue(workspaceId, to);
      await this.clock.moveTo(workspaceId, due ?? to);
      await this.store.notifyWork();
      const position = await this.quiet(workspaceId, life);
      if (due === undefined) return { ...(await this.clock.read(workspaceId)), position };
    }
  }

  /**
   * Waits until every due task of the workspace was performed, and every event of those tasks was reacted to. Answers a position of the log
   * that includes all those events. Others may append on and on: what counts is that no task of this workspace was finished since the log's
   * head was looked at.
   */
  private async quiet(workspaceId: string, life: SignsOfLife): Promise<Position | undefined> {
    for (;;) {
      const lastDone = await this.progress.lastDone(workspaceId);
      const head = await this.feed.head();
      await this.until(life, POSITION_MOVED, async () => {
        const reached = head === undefined || (await this.reactionsHavePassed(head));
        return { reached, waitingFor: () => 'the saga process does not answer' };
      });
      await this.until(life, workspaceId, async () => {
        const reached = !(await this.progress.hasUnfinished(workspaceId));
        const waitingFor = async () =>
          (await this.progress.firstError(workspaceId)) ?? 'its tasks are not performed';
        return { reached, waitingFor };
      });
      if ((await this.progress.lastDone(workspaceId)) === lastDone) return head;
    }
  }

  private async reactionsHavePassed(head: Position): Promise<boolean> {
    const positions = [...(await loadPositions(this.pool)).values()];
    return positions.length > 0 && positions.every((position) => position !== undefined && position >= head);
  }

  /** Checks the condition after each progress notification with this payload, and now and then without one. */
  private async until(
    life: SignsOfLife,
    payload: string,
    look: () => Promise<{ reached: boolean; waitingFor: () => string | Promise<string> }>,
  ): Promise<void> {
    life.expect(payload);
    let askedStoreAt = elapsedSeconds();
    for (let looks = 1; ; looks++) {
      const { reached, waitingFor } = await look();
      if (reached) return life.note();
      if (this.isSilent(life)) throw stalled(await waitingFor());
      if (elapsedSeconds() - askedStoreAt > ASK_STORE_SECONDS) {
        // A task worker waits for the event store longer than the caller is prepared to wait.
        await this.feed.head();
        askedStoreAt = elapsedSeconds();
      }
      await life.next(RECHECK_MILLIS);
      // Thousands of tasks are thousands of notifications, which need not be answered one by one.
      await delay(Math.min(looks, MAX_PAUSE_MILLIS));
    }
  }
}

function stalled(waitingFor: string): Unavailable {
  return new Unavailable('clock_stalled', `The clock could not be moved on: ${waitingFor}`);
}

/** Tells an advance that takes long from one that is stuck. */
class SignsOfLife {
  private last = elapsedSeconds();
  private readonly wakeUp = new WakeUp();

  /** @param expected the payload of the notifications that are one */
  constructor(private expected: string) {}

  expect(payload: string): void {
    this.expected = payload;
  }

  hear(payload: string): void {
    if (payload === this.expected) this.note();
  }

  note(): void {
    this.last = elapsedSeconds();
    this.wakeUp.wake();
  }

  silentSeconds(): number {
    return elapsedSeconds() - this.last;
  }

  /** Waits for the next one, or for this long. */
  async next(timeoutMillis: number): Promise<void> {
    await this.wakeUp.sleep(timeoutMillis);
    this.wakeUp.clear();
  }
}
