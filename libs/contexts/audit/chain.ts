import { hash } from 'node:crypto';
import type { RecordedEvent } from '#libs/kernel/domain';

/** Where a chain of entries stands. */
export interface ChainLink {
  /** The entry's number, from 1 and without a gap. */
  readonly sequence: number;
  /** SHA-256 over the entry's event and the hash of the entry before it, in hex. */
  readonly hash: string;
}

/** An entry's place in the chain. */
export interface ChainedLink extends ChainLink {
  /** Of the entry's event alone: see {@link digestOf}. */
  readonly digest: string;
}

/** Where the chain begins. */
export const CHAIN_START: ChainLink = { sequence: 0, hash: '0'.repeat(64) };

/**
 * SHA-256 in hex of the event as the store has it: the JSON text of `[id, stream, revision, type, data, metadata]`. It covers personal
 * values as they are sealed, so erasing a person changes nothing. It does not cover the position in the log, so a log can be moved to
 * another store.
 */
export function digestOf({ id, stream, revision, type, storedData, metadata }: RecordedEvent): string {
  return hash('sha256', JSON.stringify([id, stream, Number(revision), type, storedData, metadata]));
}

/** The link of the entry that follows `previous` and tells of `event`. */
export function nextLink(previous: ChainLink, event: RecordedEvent): ChainedLink {
  const digest = digestOf(event);
  return { sequence: previous.sequence + 1, digest, hash: linkHash(previous.hash, digest) };
}

/** SHA-256 in hex of the two hex texts, one after the other. */
export function linkHash(previousHash: string, digest: string): string {
  return hash('sha256', previousHash + digest);
}
