import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { tryLock, withLockConnection } from '#libs/kernel/postgres';
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
    const begun = Promise.withResolvers<void>();
    this.running = withLockConnection(this.pool, this.abort.signal, (lock, signal) =>
      this.project(lock, signal, () => begun.resolve()),
    ).catch((error: unknown) => {
      begun.reject(error);
      if (!this.abort.signal.aborted) this.fail(error);
    });
    await begun.promise;
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.running;
  }

  /** Without its lock it must write no more: `signal` is aborted then. */
  private async project(lock: PoolClient, signal: AbortSignal, begun: () => void): Promise<void> {
    if (!(await tryLock(lock, PROJECTOR_LOCK))) {
      this.logger.info('another projector is at work, waiting');
      begun();
      do {
        await delay(RETRY_MILLIS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
      } while (!(await tryLock(lock, PROJECTOR_LOCK)));
    }
    await this.projector.prepare();
    begun();
    await this.projector.run(signal);
  }
}
