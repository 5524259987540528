/** The settings of a {@link ConcurrencyLimit}. */
export interface ConcurrencyLimitOptions {
  /** The number of pieces of work that may run at a time. */
  maxRunning: number;
  /** The largest number of waiting callers. Default: no limit. */
  maxWaiting?: number;
  /** The maximum wait of a caller, in milliseconds. Default: no limit. */
  waitMillis?: number;
  /** Creates the error for a caller when too many other callers are waiting, or when the caller has waited too long. */
  createRefusal: () => Error;
}

/**
 * Runs a limited number of pieces of work at the same time. Further callers wait in the order of their arrival. Unlike `p-limit`,
 * ConcurrencyLimit also limits the number of waiting callers and their waiting time.
 */
export class ConcurrencyLimit {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: ConcurrencyLimitOptions) {
    this.free = options.maxRunning;
  }

  /** True if no work is running. */
  get isIdle(): boolean {
    return this.free === this.options.maxRunning;
  }

  /** Runs `work` when a slot is free. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await work();
    } finally {
      this.giveBack();
    }
  }

  private async take(): Promise<void> {
    const { maxWaiting = Infinity, waitMillis, createRefusal: refusal } = this.options;
    if (this.free > 0) {
      this.free--;
      return;
    }
    if (this.waiting.size >= maxWaiting) throw refusal();
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        this.waiting.delete(go);
        reject(refusal());
      };
      const timer = waitMillis === undefined ? undefined : setTimeout(giveUp, waitMillis);
      this.waiting.add(go);
    });
  }

  /** The free slot goes directly to the caller that has waited for the longest time. */
  private giveBack(): void {
    const [next] = this.waiting;
    if (!next) {
      this.free++;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}

/** A {@link ConcurrencyLimit} for each key that has work. */
export class KeyedConcurrencyLimits {
  private readonly slots = new Map<string, ConcurrencyLimit>();

  constructor(private readonly options: ConcurrencyLimitOptions) {}

  /** Runs `work` when the key has a free slot. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slots = this.slots.get(key) ?? new ConcurrencyLimit(this.options);
    this.slots.set(key, slots);
    try {
      return await slots.run(work);
    } finally {
      if (slots.isIdle && this.slots.get(key) === slots) this.slots.delete(key);
    }
  }
}
