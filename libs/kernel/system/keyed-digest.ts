import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Digests that only the owner of the secret can compute (HMAC-SHA256). Equal digests show that two texts are equal. Without the secret,
 * nobody can find a text by guessing, even if the text is short, such as a name.
 */
export class KeyedDigest {
  private readonly key: Buffer;

  /** The key derives from `secret` and the name of its `use`, so it differs from the keys for other uses. */
  constructor(secret: string, use: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  }

  /**
   * The digest of `parts`, 32 bytes. Each part is hashed with its length, so the parts ('a', 'bc') and ('ab', 'c') give different digests.
   */
  digestOf(...parts: string[]): Buffer {
    const digest = createHmac('sha256', this.key);
    for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
    return digest.digest();
  }
}
