import { CoalescedRead } from '#libs/kernel/system';
import type { StreamHead } from '../streams/stream-head.js';
import type { Queryable, StreamHeadCache } from './stream-head-cache.js';

/**
 * Reads the heads of streams for the calls that read. A stream's head is its last state, see {@link StreamHead}. Heads that are not in
 * memory are read in one query for all concurrent callers.
 */
export class StreamHeadReader {
  readonly #heads: StreamHeadCache;
  readonly #wanted = new Set<string>();
  readonly #finding: CoalescedRead<Map<string, StreamHead>>;

  constructor(heads: StreamHeadCache, database: Queryable) {
    this.#heads = heads;
    this.#finding = new CoalescedRead(() => {
      const names = [...this.#wanted];
      this.#wanted.clear();
      return heads.headsOf(names, database);
    });
  }

  /** Returns the stream's head as of the last commit before the call, or of a later commit. */
  async readStreamHead(name: string): Promise<StreamHead | undefined> {
    const known = this.#heads.cachedHead(name);
    if (known) return known;
    this.#wanted.add(name);
    return (await this.#finding.read()).get(name);
  }
}
