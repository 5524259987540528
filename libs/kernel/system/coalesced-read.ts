import { BatchedReads, type BatchedReadsOptions } from './batched-reads.js';

/** One read for many callers: as in {@link BatchedReads}, callers that come while a read runs share the next read. */
export class CoalescedRead<T> {
  private readonly reads: BatchedReads<undefined, T>;

  constructor(take: () => Promise<T>) {
    this.reads = new BatchedReads<undefined, T>(
      async (_, callers) => {
        const value = await take();
        return callers.map(() => value);
      },
      { maxKeys: Infinity, startsAtOnce: true },
    );
  }

  read(): Promise<T> {
    return this.reads.read('', undefined);
  }
}

/** A {@link CoalescedRead} for each key that is being read. */
export class CoalescedReads<T> {
  private readonly reads: BatchedReads<() => Promise<T>, T>;

  constructor({ startsAtOnce = true }: Pick<BatchedReadsOptions, 'startsAtOnce'> = {}) {
    this.reads = new BatchedReads<() => Promise<T>, T>(
      async (_, takes) => {
        const value = await takes[0]!();
        return takes.map(() => value);
      },
      { maxKeys: Infinity, startsAtOnce },
    );
  }

  /** Reads the data of `key` by `take`, a function that must be the same for all callers with this key. */
  read(key: string, take: () => Promise<T>): Promise<T> {
    return this.reads.read(key, take);
  }

  /** The number of keys that are being read. */
  get size(): number {
    return this.reads.size;
  }
}
