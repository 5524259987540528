import { hash } from 'node:crypto';
import type { RecordedEvent } from '#libs/kernel/domain';

/** The position and the hash of an entry in the hash chain of the audit trail. */
export interface ChainLink {
  /** The entry's number. Entry numbers begin at 1 and have no gaps. */
  readonly sequence: number;
  /** SHA-256 over the entry's event and the hash of the entry before it, in hex. */
  readonly hash: string;
}

/** A link of the chain, with the digest of its entry's event. */
export interface ChainLinkOfEntry extends ChainLink {
  /** The digest of the entry's event alone: see {@link digestOf}. */
  readonly digest: string;
}

/** The start of the hash chain, before the first audit entry. */
export const CHAIN_START: ChainLink = { sequence: 0, hash: '0'.repeat(64) };

/**
 * The SHA-256 in hex of the event as the store has it. The hashed JSON text is `[id, stream, revision, type, data, metadata]`. The digest
 * covers personal values in their encrypted form, so the erasure of a person changes no digest. The digest does not cover the position in
 * the log, so a log can be copied to another store.
 */
export function digestOf({ id, stream, revision, type, storedData, metadata }: RecordedEvent): string {
  return hash('sha256', JSON.stringify([id, stream, Number(revision), type, storedData, metadata]));
}

/** The next link of the chain after `previous`, for the entry of `event`. */
export function nextLink(previous: ChainLink, event: RecordedEvent): ChainLinkOfEntry {
  const digest = digestOf(event);
  return { sequence: previous.sequence + 1, digest, hash: linkHash(previous.hash, digest) };
}

/** The SHA-256 in hex of the previous hash followed by the digest. */
export function linkHash(previousHash: string, digest: string): string {
  return hash('sha256', previousHash + digest);
}
