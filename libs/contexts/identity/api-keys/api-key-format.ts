import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * The format of a key is svc_<27 characters: 160 random bits><6 characters: CRC-32>, both in base 62. GitHub uses the same format for its
 * tokens. Scanners can therefore recognize a leaked key, and a mistyped key is refused without a database query.
 */

export const API_KEY_PREFIX = 'svc_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 20;
/** 62^27 is slightly more than 2^160. */
const RANDOM_LENGTH = 27;
/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Generates a new key. The key cannot be read again, so store its {@link hashApiKey}. */
export function generateApiKey(): string {
  const random = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  const body = API_KEY_PREFIX + base62(random, RANDOM_LENGTH);
  return body + checksumOf(body);
}

/** Tells whether the text has the form and the checksum of a key. It does not check that the key exists. */
export function isWellFormedApiKey(text: string): boolean {
  return SHAPE.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** SHA-256 is enough here, because a secret of 160 random bits cannot be guessed. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}
