import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Digests that only the owner of the secret can compute (HMAC-SHA256). They tell whether two texts are equal. No text can be found by
 * guessing, not even a short one such as a name.
 */
export class KeyedDigest {
  private readonly key: Buffer;

  /** The key derives from `secret` under the name of its `use`, so that it is no other use's key. */
  constructor(secret: string, use: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  }

  /** 32 bytes. Parts are length-prefixed, so ('a', 'bc') and ('ab', 'c') differ. */
  of(...parts: string[]): Buffer {
    const digest = createHmac('sha256', this.key);
    for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
    return digest.digest();
  }
}
