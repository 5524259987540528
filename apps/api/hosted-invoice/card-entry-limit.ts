import { LRUCache } from 'lru-cache';
import { TooManyRequests } from '#libs/kernel/core';
import { monotonicSeconds } from '#libs/kernel/system';

/** How many cards may be entered within a time, in seconds. */
interface Limit {
  readonly cards: number;
  readonly seconds: number;
}

const TEN_MINUTES = 600;
const DAY = 86_400;
/** The limits of one link, and of all links of a workspace together, in one process. */
const OF_LINK: readonly Limit[] = [
  { cards: 10, seconds: TEN_MINUTES },
  { cards: 30, seconds: DAY },
];
const OF_WORKSPACE: readonly Limit[] = [{ cards: 500, seconds: TEN_MINUTES }];
/** The number of links and of workspaces that are remembered. */
const MAX_REMEMBERED = 20_000;

/**
 * Limits the cards that are entered by links. A link is the only credential, and thieves try stolen cards on pages that need no other.
 * The test cards of sandboxes count too, so that a seller sees the limit before going live.
 */
export class CardEntryLimit {
  private readonly byLink = new LRUCache<string, number[]>({ max: MAX_REMEMBERED });
  private readonly byWorkspace = new LRUCache<string, number[]>({ max: MAX_REMEMBERED });

  /** Counts a card that is entered by a link. Throws TooManyRequests (`too_many_cards`) if a limit is reached. A refused card does not count. */
  count(workspaceId: string, token: string): void {
    const now = monotonicSeconds();
    const link = entriesOf(this.byLink, token, OF_LINK, now);
    const workspace = entriesOf(this.byWorkspace, workspaceId, OF_WORKSPACE, now);
    const wait = Math.max(waitOf(link, OF_LINK, now), waitOf(workspace, OF_WORKSPACE, now));
    if (wait > 0)
      throw new TooManyRequests(
        'too_many_cards',
        'Too many cards were entered by links of invoices; try again later',
        wait,
      );
    this.byLink.set(token, [...link, now]);
    this.byWorkspace.set(workspaceId, [...workspace, now]);
  }
}

/** The times of the entries that a limit still counts, oldest first, in seconds. */
function entriesOf(
  entries: LRUCache<string, number[]>,
  key: string,
  limits: readonly Limit[],
  now: number,
): number[] {
  const longest = Math.max(...limits.map(({ seconds }) => seconds));
  return (entries.get(key) ?? []).filter((at) => now - at < longest);
}

/** The seconds until another card may be entered. Zero if it may be entered now. */
function waitOf(entries: readonly number[], limits: readonly Limit[], now: number): number {
  const waits = limits.map(({ cards, seconds }) => {
    const oldest = entries.at(-cards);
    return oldest === undefined ? 0 : Math.ceil(oldest + seconds - now);
  });
  return Math.max(0, ...waits);
}
