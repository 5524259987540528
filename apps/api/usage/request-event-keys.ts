import { canonicalJson } from '#libs/kernel/core';
import { KeyedDigest, type InstanceSecrets } from '#libs/kernel/system';

const EVENT_KEYS_PURPOSE = 'countinghouse usage of idempotent requests';

/**
 * Derives keys for the events of a request with an `Idempotency-Key`, so that a repetition of the request stores no event twice. The keys
 * are keyed digests, so nothing about the events can be guessed from them.
 */
export class RequestEventKeys {
  private readonly digests: KeyedDigest;
  /** Undefined unless the secret is being replaced. */
  private readonly formerDigests: KeyedDigest | undefined;

  /** @param secrets the keys of the digests derive from them */
  constructor([present, former]: InstanceSecrets) {
    this.digests = new KeyedDigest(present, EVENT_KEYS_PURPOSE);
    this.formerDigests = former === undefined ? undefined : new KeyedDigest(former, EVENT_KEYS_PURPOSE);
  }

  /**
   * Returns a key for each event. The key is made of the request, the event's content and the number of equal events before it. A corrected
   * request therefore stores the events that were changed, and no other event again.
   *
   * @param requestId the same for each repetition of the request
   */
  keysOf(requestId: string, events: readonly unknown[]): string[] {
    return keysBy(this.digests, requestId, events);
  }

  /**
   * Returns the keys that the events had by the former secret, in the order of the events. Undefined unless the secret is being replaced.
   *
   * @param requestId the same for each repetition of the request
   */
  formerKeysOf(requestId: string, events: readonly unknown[]): string[] | undefined {
    return this.formerDigests && keysBy(this.formerDigests, requestId, events);
  }
}

function keysBy(digests: KeyedDigest, requestId: string, events: readonly unknown[]): string[] {
  const counts = new Map<string, number>();
  return events.map((event) => {
    const content = canonicalJson(event);
    const equalBefore = counts.get(content) ?? 0;
    counts.set(content, equalBefore + 1);
    return digests.digestOf(requestId, content, String(equalBefore)).toString('hex');
  });
}
