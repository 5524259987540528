import type { Pool, PoolClient } from 'pg';
import { tryLock, waitForLock, withLockConnection } from '#libs/kernel/postgres';
import type { Logger } from '#libs/kernel/system';
import { PROJECTOR_LOCK_KEY_SQL, type Projector } from '#libs/kernel/projection';

/**
 * Runs the projector in at most one process for each database. Other processes wait for the advisory lock, and one of them takes over when
 * the connection of the lock's holder ends. A process that has not noticed the loss of the lock cannot move a checkpoint that another
 * process has moved. The transaction of its batch is then rolled back.
 */
export class ProjectorProcess {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;
  /** A promise that rejects when the projector cannot continue. */
  readonly failure: Promise<never>;
  private fail: (error: unknown) => void;

  constructor(
    private readonly projector: Projector,
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {
    this.failure = new Promise<never>((_, reject) => (this.fail = reject));
    this.failure.catch(() => undefined);
  }

  /** Starts the projector in the background. If no other process holds the lock, the projector first creates missing tables. */
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

  /** Runs the projector while the lock is held. `signal` is aborted when the lock is lost, and then nothing more may be written. */
  private async project(lock: PoolClient, signal: AbortSignal, begun: () => void): Promise<void> {
    const tryOnce = (): Promise<boolean> => tryLock(lock, PROJECTOR_LOCK_KEY_SQL);
    if (!(await tryOnce())) {
      this.logger.info('another projector is running, waiting for its lock');
      begun();
      if (!(await waitForLock(tryOnce, signal))) return;
    }
    await this.projector.prepare();
    begun();
    await this.projector.run(signal);
  }
}
