import { randomBytes, randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';
import type { IdPrefix } from '#libs/kernel/core';
import { systemClock } from './clock.js';

/** Creates a public id: prefix, underscore, ULID. Ids of this function sort by creation time. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${newUlid()}`;
}

/** Returns a ULID without a prefix, for commands, requests and other ids that users do not see. */
export function newUlid(): string {
  return ulid(systemClock.nowMillis(), random);
}

const pool = Buffer.alloc(4_096);
let drawn = pool.length;

/**
 * A random byte of the CSPRNG, as a fraction. Random bytes are read in bulk, because the `ulid` library reads one byte at a time, which
 * takes 50 µs for each id.
 */
function random(): number {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  return pool[drawn++]! / 256;
}

/** Creates an unguessable token for links and keys: `bytes` bytes of the system's CSPRNG, in base64url. */
export function randomToken(bytes = 24): string {
  return randomBytes(bytes).toString('base64url');
}
