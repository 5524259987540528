import { createHash } from 'node:crypto';
import { encodeTime } from 'ulid';
import { instantToMillis, type Instant } from './instant.js';

/**
 * The prefix of a public id. After the underscore, a public id has a ULID, or a hash in the alphabet and length of a ULID. Each context
 * defines its own prefixes.
 */
export type IdPrefix = string;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The number of characters that follow the timestamp in a ULID. A ULID has 26 characters. */
const RANDOM_LENGTH = 16;

/**
 * Derives an id that is the same for the same parts, so that running a command twice creates only one resource. The id has 130 bits of
 * SHA-256, in the alphabet and length of a ULID. Each part is hashed with its length, so the parts ('a','bc') and ('ab','c') give different
 * ids.
 */
export function deriveId(prefix: IdPrefix, ...parts: string[]): string {
  const digest = digestOf(parts);
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of digest) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < 26) {
      bits -= 5;
      text += CROCKFORD[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
    if (text.length === 26) break;
  }
  return `${prefix}_${text}`;
}

/**
 * Derives an id that consists of a prefix and a ULID. The same prefix, instant and parts always give the same id. The ids sort by their
 * instant. 80 bits of SHA-256 replace the random part of the ULID. Each repetition of a command must pass the same instant. An instant
 * before 1970 is treated as 1970.
 */
export function deriveUlid(prefix: IdPrefix, at: Instant, ...parts: string[]): string {
  const hash = deriveId(prefix, at, ...parts).slice(-RANDOM_LENGTH);
  return `${prefix}_${encodeTime(Math.max(instantToMillis(at), 0))}${hash}`;
}

/** Derives a UUID (version 8, RFC 9562 section 5.8) that is the same for the same parts. The ids of events are UUIDs from this function. */
export function deriveUuid(...parts: string[]): string {
  const bytes = digestOf(parts).subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function digestOf(parts: string[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest();
}
