import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { NO_METADATA, parseStreamMetadata } from '../streams/metadata.js';
import type { StreamHead } from '../streams/stream-head.js';
import { TOMBSTONE_REVISION } from '../wire/names.js';
import { LRUCache } from 'lru-cache';

/**
 * The number of heads that stay in memory, each of about 300 bytes. Heads that are not in memory are read from the database when needed.
 */
const CAPACITY = 100_000;

const LOAD = `
SELECT asked.name, s.id, last.revision, m.id AS metastream_id, meta.revision AS metastream_revision, meta.data
FROM unnest($1::text[]) AS asked (name)
LEFT JOIN eventstore.streams s ON s.name = asked.name
LEFT JOIN LATERAL (
  SELECT revision FROM eventstore.events WHERE stream_id = s.id ORDER BY revision DESC LIMIT 1
) last ON true
LEFT JOIN eventstore.streams m ON m.name = '$$' || asked.name
LEFT JOIN LATERAL (
  SELECT revision, data FROM eventstore.events WHERE stream_id = m.id ORDER BY revision DESC LIMIT 1
) meta ON true`;

/** The writer's connection or the readers' pool. */
export interface Queryable {
  query<R extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<R>>;
}

interface HeadRow {
  name: string;
  id: string | null;
  revision: string | null;
  metastream_id: string | null;
  metastream_revision: string | null;
  data: Buffer | null;
}

/** The heads of streams as of the last commit, by the stream's name. A stream's head also covers the stream's metastream. */
export class StreamHeadCache {
  readonly #cache = new LRUCache<string, StreamHead>({ max: CAPACITY });
  #commits = 0;

  /** Returns the head of a stream if it is in memory. */
  cachedHead(name: string): StreamHead | undefined {
    return this.#cache.get(name);
  }

  /** Returns the heads of the named streams. Heads that are not in memory are read in one query. */
  async headsOf(names: Iterable<string>, database: Queryable): Promise<Map<string, StreamHead>> {
    const heads = new Map<string, StreamHead>();
    const missing = new Set<string>();
    for (const name of names) {
      const head = this.#cache.get(name);
      if (head) heads.set(name, head);
      else missing.add(name);
    }
    if (missing.size === 0) return heads;

    const commits = this.#commits;
    const { rows } = await database.query<HeadRow>({ name: 'heads', text: LOAD, values: [[...missing]] });
    for (const row of rows) {
      const head = toHead(row);
      heads.set(row.name, head);
      // A head that was read during a commit may be older than that commit. It must not replace the newer one in memory.
      if (commits === this.#commits) this.#cache.set(row.name, head);
    }
    return heads;
  }

  /** Stores the heads that a commit has changed. */
  cacheChangedHeads(heads: ReadonlyMap<string, StreamHead>): void {
    this.#commits += 1;
    for (const [name, head] of heads) this.#cache.set(name, head);
  }

  /** Removes all heads from memory. `clear` is called if the heads in memory and in the database can differ. */
  clear(): void {
    this.#commits += 1;
    this.#cache.clear();
  }
}

function toHead(row: HeadRow): StreamHead {
  const tombstoned = row.revision === TOMBSTONE_REVISION.toString();
  return {
    id: row.id === null ? undefined : Number(row.id),
    // The revision before a tombstone is never needed.
    revision: row.revision === null || tombstoned ? -1 : Number(row.revision),
    tombstoned,
    metastreamId: row.metastream_id === null ? undefined : Number(row.metastream_id),
    metastreamRevision: row.metastream_revision === null ? -1 : Number(row.metastream_revision),
    metadata: row.data === null ? NO_METADATA : parseStreamMetadata(row.data),
  };
}
