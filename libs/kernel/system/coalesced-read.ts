/**
 * One read for many callers. A caller that arrives during a read shares the next read, never one that began before the call. So every
 * caller sees the state after its call, and at most two reads run at a time.
 */
export class CoalescedRead<T> {
  private running: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(private readonly take: () => Promise<T>) {}

  read(): Promise<T> {
    if (!this.running) return this.begin();
    this.next ??= this.running.then(
      () => this.begin(),
      () => this.begin(),
    );
    return this.next;
  }

  /** True if no caller is waiting. */
  get isIdle(): boolean {
    return this.running === undefined;
  }

  private begin(): Promise<T> {
    this.next = undefined;
    const running = this.take().finally(() => {
      if (this.next === undefined) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}

/** A {@link CoalescedRead} for each key that is being read. */
export class CoalescedReads<T> {
  private readonly readings = new Map<string, CoalescedRead<T>>();

  /** Reads the data of `key` by `take`, which must be the same for all callers with that key. */
  async read(key: string, take: () => Promise<T>): Promise<T> {
    const reading = this.readings.get(key) ?? new CoalescedRead(take);
    this.readings.set(key, reading);
    try {
      return await reading.read();
    } finally {
      if (reading.isIdle) this.readings.delete(key);
    }
  }

  /** The number of keys that are being read. */
  get size(): number {
    return this.readings.size;
  }
}
