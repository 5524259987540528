/**
 * The time in which callers can join a group. After this time, callers begin another group, which gets the lock after the waiting callers
 * of an exclusive lock.
 */
const OPEN_MILLIS = 500;

/**
 * Callers of one process that hold a shared lock together, with one connection. The shared lock is acquired for the first caller of a
 * group, and released after its last caller.
 */
export class SharedLockGroup {
  private readonly begunAt = performance.now();
  private readonly acquired = Promise.withResolvers<void>();
  private readonly everyoneLeft = Promise.withResolvers<void>();
  private members = 0;
  private ended = false;

  /** @param hold acquires the lock, runs the work, and releases the lock; rejects if the lock is not free in time */
  constructor(hold: (work: () => Promise<void>) => Promise<void>) {
    this.acquired.promise.catch(() => undefined);
    hold(() => {
      this.acquired.resolve();
      return this.everyoneLeft.promise;
      // After the work, an error only says that the connection is gone, which has released the lock.
    }).catch((error: unknown) => this.acquired.reject(error));
  }

  /**
   * Tells whether a caller can still join the group. After the last caller has left, nobody can join, because the lock is then released.
   */
  isOpen(): boolean {
    return !this.ended && performance.now() - this.begunAt < OPEN_MILLIS;
  }

  /** Tells whether the last caller has left. */
  hasEnded(): boolean {
    return this.ended;
  }

  /** Joins the group, and runs `work` when the lock is acquired. Callers may join only while {@link isOpen} returns true. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.members += 1;
    try {
      await this.acquired.promise;
      return await work();
    } finally {
      this.members -= 1;
      if (this.members === 0) {
        this.ended = true;
        this.everyoneLeft.resolve();
      }
    }
  }
}
