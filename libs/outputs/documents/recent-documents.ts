import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';

/** How long a document is kept, in milliseconds. An erased customer's documents leave the memory after this time. */
const KEPT_MILLIS = 5 * 60_000;

/**
 * Keeps the documents that were made last, because anybody with the link of an invoice may request its documents any number of times. A
 * kept document is used only if all that it was made from is unchanged.
 */
export class RecentDocuments<Document> {
  private readonly kept: LRUCache<string, { madeFrom: readonly unknown[]; document: Document }>;

  /**
   * @param maxBytes the size of all kept documents
   * @param bytesOf the size of one document, in bytes
   */
  constructor(maxBytes: number, bytesOf: (document: Document) => number) {
    this.kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ document }) => bytesOf(document) + 1,
      ttl: KEPT_MILLIS,
      ttlAutopurge: true,
    });
  }

  /** Returns the kept document of this name, if it was made from equal values. */
  find(name: string, madeFrom: readonly unknown[]): Document | undefined {
    const kept = this.kept.get(name);
    return kept && isDeepStrictEqual(kept.madeFrom, madeFrom) ? kept.document : undefined;
  }

  /** Keeps a document in place of the kept document of the same name. */
  keep(name: string, madeFrom: readonly unknown[], document: Document): void {
    this.kept.set(name, { madeFrom, document });
  }
}
