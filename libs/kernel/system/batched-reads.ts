import { setImmediate } from 'node:timers/promises';

interface Caller<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** The settings of {@link BatchedReads}. */
export interface BatchedReadsOptions {
  /** The maximum number of keys in one read. */
  readonly maxKeys?: number;
  /** Starts a read at once if none is running, without waiting for more callers. */
  readonly startsAtOnce?: boolean;
}

/**
 * Reads values by key for many callers at once. One read takes only keys of the same scope, such as a workspace. While one read of a scope
 * runs, the keys of further callers gather, and the next read takes them together. Before each read, the process handles all input that has
 * arrived, since the input often brings more callers. A read begins only after the calls that it answers, so every caller sees the state
 * after its call. If a read fails, all its callers get the error.
 */
export class BatchedReads<Key, Value> {
  /** The callers that wait for the next read of each scope. The map contains a scope while a read of this scope runs. */
  private readonly waiting = new Map<string, Caller<Key, Value>[]>();

  private readonly maxKeys: number;
  private readonly startsAtOnce: boolean;

  /** @param readAll reads the values of keys of one scope, in the order of the keys */
  constructor(
    private readonly readAll: (scope: string, keys: readonly Key[]) => Promise<readonly Value[]>,
    { maxKeys = 100, startsAtOnce = false }: BatchedReadsOptions = {},
  ) {
    this.maxKeys = maxKeys;
    this.startsAtOnce = startsAtOnce;
  }

  read(scope: string, key: Key): Promise<Value> {
    return new Promise((resolve, reject) => {
      const caller = { key, resolve, reject };
      const others = this.waiting.get(scope);
      if (others) others.push(caller);
      else {
        const callers = [caller];
        this.waiting.set(scope, callers);
        void this.answer(scope, callers);
      }
    });
  }

  /** The number of scopes that are being read. */
  get size(): number {
    return this.waiting.size;
  }

  private async answer(scope: string, callers: Caller<Key, Value>[]): Promise<void> {
    if (!this.startsAtOnce) await setImmediate();
    while (callers.length > 0) {
      const batch = callers.splice(0, this.maxKeys);
      const keys = batch.map(({ key }) => key);
      try {
        const values = await this.readAll(scope, keys);
        batch.forEach(({ resolve }, i) => resolve(values[i]!));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      if (callers.length > 0) await setImmediate();
    }
    this.waiting.delete(scope);
  }
}
