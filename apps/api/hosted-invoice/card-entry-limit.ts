import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '#libs/kernel/core';
import { monotonicSeconds } from '#libs/kernel/system';

/** How many cards may be entered by one link in a process, and the time in which they are counted, in seconds. */
const MAX_CARDS = 10;
const WINDOW_SECONDS = 600;
/** The number of links that are remembered. */
const MAX_LINKS = 20_000;

/**
 * Limits the cards that are entered by one link. The link is the only credential, and thieves try stolen cards on pages that need no other.
 */
export class CardEntryLimit {
  private readonly entries = new LRUCache<string, number[]>({ max: MAX_LINKS });

  /** Counts a card that is entered by a link. Throws TooManyRequests (`too_many_cards`) if there were too many in the last ten minutes. */
  count(token: string): void {
    const now = monotonicSeconds();
    const recent = (this.entries.get(token) ?? []).filter((at) => now - at < WINDOW_SECONDS);
    if (recent.length >= MAX_CARDS)
      throw new TooManyRequests(
        'too_many_cards',
        'Too many cards were entered by this link; try again in ten minutes',
        Math.ceil(WINDOW_SECONDS - (now - recent[0]!)),
      );
    this.entries.set(token, [...recent, now]);
  }
}
