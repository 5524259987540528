import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * A token is <prefix><random bits><6 characters: CRC-32>, both in base 62. GitHub uses the same format for its tokens. Scanners can
 * therefore recognize a leaked token, and a mistyped token is refused without a database query.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Six digits in base 62 can represent the 32 bits of a CRC-32, because 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;

/** One kind of random token. */
export interface TokenFormat {
  /** Generates a new token. Only the hash of the token ({@link hashToken}) may be stored, so the token cannot be read again. */
  generate(): string;
  /**
   * Tells whether a text has the form of a token of this kind and a correct checksum. The check does not look up whether the token exists.
   */
  isWellFormed(text: string): boolean;
}

/** Defines a kind of token. `length` is the number of base-62 digits. The digits must be able to represent `bytes` random bytes. */
export function defineTokenFormat({
  prefix,
  bytes,
  length,
}: {
  readonly prefix: string;
  readonly bytes: number;
  readonly length: number;
}): TokenFormat {
  const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${length + CHECKSUM_LENGTH}}$`);
  return {
    generate() {
      const random = BigInt(`0x${randomBytes(bytes).toString('hex')}`);
      const body = prefix + base62(random, length);
      return body + checksumOf(body);
    },
    isWellFormed: (text) =>
      shape.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH),
  };
}

/** SHA-256 is a sufficient hash for tokens, because a secret of 160 random bits or more cannot be guessed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text;
  return text;
}
