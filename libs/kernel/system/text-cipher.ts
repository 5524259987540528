import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts text that is stored and contains secrets, such as an answer with a new API key (AES-256-GCM, `iv || tag || ciphertext` in
 * base64).
 */
export class TextCipher {
  private readonly key: Buffer;

  /** The key derives from `secret` and the name of its `use`, so it differs from the keys for other uses. */
  constructor(secret: string, use: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  }

  encrypt(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /**
   * Decrypts a text. Returns undefined if the text was encrypted with another secret or for another use, or was changed or cut off.
   */
  decrypt(encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const body = bytes.subarray(IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
