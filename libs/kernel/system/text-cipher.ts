import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The secret of the instance, `JWT_SECRET`, and the former one while the instance still reads what it encrypted. */
export type InstanceSecrets = readonly [present: string, former?: string | undefined];

/**
 * Encrypts text that is stored and contains secrets, such as an answer with a new API key (AES-256-GCM, `iv || tag || ciphertext` in
 * base64).
 */
export class TextCipher {
  private readonly keys: readonly Buffer[];

  /** The keys derive from `secrets` and the name of their `use`, so they differ from the keys for other uses. */
  constructor(secrets: InstanceSecrets, use: string) {
    this.keys = secrets.flatMap((secret) =>
      secret === undefined ? [] : [Buffer.from(hkdfSync('sha256', secret, '', use, 32))],
    );
  }

  /** Encrypts with the present secret. */
  encrypt(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0]!, iv);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /**
   * Decrypts a text. Returns undefined if the text was encrypted with another secret than these or for another use, or was changed or cut
   * off.
   */
  decrypt(encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64');
    for (const key of this.keys) {
      const text = decryptWith(key, bytes);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Encrypts a text again that the former secret encrypted. Undefined if the present one did, or if the text cannot be read. */
  renew(encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64');
    if (decryptWith(this.keys[0]!, bytes) !== undefined) return undefined;
    const text = this.decrypt(encrypted);
    return text === undefined ? undefined : this.encrypt(text);
  }
}

function decryptWith(key: Buffer, bytes: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const body = bytes.subarray(IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
