import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '#libs/core';
import type { Projector } from '#libs/projection';

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

  /** Makes missing tables, then runs in the background. */
  async start(): Promise<void> {
    await this.projector.prepare();
    this.running = this.run().catch((error: unknown) => {
      if (!this.abort.signal.aborted) this.fail(error);
    });
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.abort;
    const lock = await this.pool.connect();
    const lost = new Promise<never>((_, reject) => lock.on('error', reject));
    lost.catch(() => undefined);
    try {
      while (!signal.aborted && !(await takeLock(lock))) {
        this.logger.debug('another projector is at work, waiting');
        await delay(RETRY_MILLIS, undefined, { signal }).catch(() => undefined);
      }
      // What another process did while this one waited.
      await this.projector.prepare();
      await Promise.race([this.projector.run(signal), lost]);
    } finally {
      lock.release(true);
    }
  }
}

async function takeLock(lock: PoolClient): Promise<boolean> {
  const { rows } = await lock.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(hashtextextended('projector', 0)) AS locked`,
  );
  return rows[0]?.locked === true;
}
