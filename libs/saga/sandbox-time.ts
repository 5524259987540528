import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { elapsedSeconds, InvalidRequest, Unavailable, type Instant } from '#libs/core';
import { EventFeed, type Position } from '#libs/event-store';
import { NotificationListener } from '#libs/postgres';
import { WorkspaceClock, type ClockReading } from '#libs/workspaces';
import { loadPositions, PROGRESS_CHANNEL, TaskStore } from './task-store.js';

/** The advance gives up when nothing at all has moved for this long. */
const STALLED_SECONDS = 60;
/** Looks again after this long without a notification. */
const RECHECK_MILLIS = 500;

/** Moves a sandbox's clock forward, stopping at every instant at which something is due, until all is quiet. */
@Injectable()
export class SandboxTime {
  private readonly store: TaskStore;

  constructor(
    private readonly pool: Pool,
    private readonly clock: WorkspaceClock,
    private readonly feed: EventFeed,
    private readonly listener: NotificationListener,
  ) {
    this.store = new TaskStore(pool);
  }

  /**
   * Moves the clock to `to`, firing what is due in order of time. Two advances of one workspace at once run one
   * after the other. Throws InvalidRequest for a time before the workspace's, or of a workspace that is live.
   */
  async advance(accountId: string, to: Instant): Promise<ClockReading & { position: Position | undefined }> {
    await this.clock.requireSandbox(accountId);
    const lock = await this.pool.connect();
    let broken = true;
    try {
      await lock.query(`SELECT pg_advisory_lock(hashtextextended('sandbox-time ' || $1, 0))`, [accountId]);
      const { now } = await this.clock.read(accountId);
      if (to < now) throw InvalidRequest.field('to', `must not be before the workspace's time, ${now}`, 'clock_backwards');
      // Freeze first: a clock that ran on could overtake the instants between.
      await this.clock.moveTo(accountId, now);
      await this.store.notifyWork();
      let position = await this.quiet(accountId);
      for (;;) {
        const due = await this.store.nextDue(accountId, to);
        await this.clock.moveTo(accountId, due ?? to);
        await this.store.notifyWork();
        position = await this.quiet(accountId);
        if (due === undefined) break;
      }
      await lock.query(`SELECT pg_advisory_unlock(hashtextextended('sandbox-time ' || $1, 0))`, [accountId]);
      broken = false;
      return { ...(await this.clock.read(accountId)), position };
    } finally {
      lock.release(broken);
    }
  }

  /** Waits until every event was reacted to and every task that is due was performed; the log's head then. */
  private async quiet(accountId: string): Promise<Position | undefined> {
    const progress = new Progress();
    const unlisten = await this.listener.on(PROGRESS_CHANNEL, () => progress.note());
    try {
      for (;;) {
        const head = await this.feed.head();
        await this.until(progress, async () => {
          if (head === undefined) return true;
          const positions = [...(await loadPositions(this.pool)).values()];
          return positions.length > 0 && positions.every((position) => position !== undefined && position >= head);
        });
        let error: string | null = null;
        await this.until(
          progress,
          async () => {
            const unfinished = await this.store.unfinished(accountId);
            error = unfinished.error;
            return unfinished.count === 0;
          },
          () => error,
        );
        if ((await this.feed.head()) === head) return head;
      }
    } finally {
      unlisten();
    }
  }

  private async until(progress: Progress, isSo: () => Promise<boolean>, reason?: () => string | null): Promise<void> {
    while (!(await isSo())) {
      await progress.next(RECHECK_MILLIS);
      if (progress.stalledSeconds() > STALLED_SECONDS)
        throw new Unavailable(
          'clock_stalled',
          `The clock could not be moved on: ${reason?.() ?? 'the saga process does not answer'}`,
        );
    }
  }
}

/** Notes each sign of life, so that a long advance is told from one that is stuck. */
class Progress {
  private last = elapsedSeconds();
  private wake: (() => void) | undefined;
  private noted = false;

  note(): void {
    this.last = elapsedSeconds();
    this.noted = true;
    this.wake?.();
  }

  stalledSeconds(): number {
    return elapsedSeconds() - this.last;
  }

  async next(timeoutMillis: number): Promise<void> {
    if (!this.noted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMillis);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wake = undefined;
    this.noted = false;
  }
}
