import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '#libs/kernel/system';
import { PROJECTOR_LOCK, type Projector } from '#libs/kernel/projection';

const RETRY_MILLIS = 1_000;

/**
 * The projector of a database is one process; further ones wait for its advisory lock and take over when its
 * connection ends. Checkpoints are fenced besides, so a process that lost its lock unnoticed writes nothing.
 */
export class ProjectorProcess {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;
  /** Rejects when the projector cannot go on. */
  readonly failed: Promise<never>;
  private fail: (error: unknown) => void;

  constructor(
    private readonly projector: Projector,
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {
    this.failed = new Promise<never>((_, reject) => (this.fail = reject));
    this.failed.catch(() => undefined);
  }

  /** Makes missing tables if no other process is at work, then runs in the background. */
  async start(): Promise<void> {
    const lock = await this.pool.connect();
    const lost = new Promise<never>((_, reject) => lock.on('error', reject));
    lost.catch(() => undefined);
    let locked: boolean;
    try {
      locked = await takeLock(lock);
      if (locked) await this.projector.prepare();
    } catch (error) {
      lock.release(true);
      throw error;
    }
    this.running = this.run(lock, lost, locked).catch((error: unknown) => {
      if (!this.abort.signal.aborted) this.fail(error);
    });
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.running;
  }

  private async run(lock: PoolClient, lost: Promise<never>, locked: boolean): Promise<void> {
    const ended = new AbortController();
    const signal = AbortSignal.any([this.abort.signal, ended.signal]);
    try {
      await Promise.race([this.project(lock, locked, signal), lost]);
    } finally {
      // Without its lock it must write no more.
      ended.abort();
      lock.release(true);
    }
  }

  private async project(lock: PoolClient, locked: boolean, signal: AbortSignal): Promise<void> {
    if (!locked) {
      this.logger.info('another projector is at work, waiting');
      while (!(await takeLock(lock))) {
        await delay(RETRY_MILLIS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
      }
      await this.projector.prepare();
    }
    await this.projector.run(signal);
  }
}

async function takeLock(lock: PoolClient): Promise<boolean> {
  const { rows } = await lock.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(${PROJECTOR_LOCK}) AS locked`,
  );
  return rows[0]?.locked === true;
}
