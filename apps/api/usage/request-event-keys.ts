import { canonicalJson } from '#libs/kernel/core';
import { KeyedDigest } from '#libs/kernel/system';

/**
 * Derives keys for the events of a request with an `Idempotency-Key`, so that a repetition of the request stores no event twice. The keys
 * are keyed digests, so nothing about the events can be guessed from them.
 */
export class RequestEventKeys {
  private readonly digests: KeyedDigest;

  /** @param secret the key of the digests derives from it */
  constructor(secret: string) {
    this.digests = new KeyedDigest(secret, 'countinghouse usage of idempotent requests');
  }

  /**
   * Returns a key for each event. The key is made of the request, the event's content and the number of equal events before it. A corrected
   * request therefore stores the events that were changed, and no other event again.
   *
   * @param requestId the same for each repetition of the request
   */
  keysOf(requestId: string, events: readonly unknown[]): string[] {
    const counts = new Map<string, number>();
    return events.map((event) => {
      const content = canonicalJson(event);
      const equalBefore = counts.get(content) ?? 0;
      counts.set(content, equalBefore + 1);
      return this.digests.digestOf(requestId, content, String(equalBefore)).toString('hex');
    });
  }
}
