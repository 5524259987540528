import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

/** What stands in an event in place of a personal value: AES-256-GCM, `iv || tag || ciphertext` in base64. */
interface Sealed {
  $sealed: string;
}

/** What a personal value reads as once its key is destroyed. */
export const ERASED = '[erased]';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const CACHE_LIMIT = 50_000;

/**
 * Keys for personal data in events, one per subject (`acc_….cust_…`). Destroying a key makes the subject's
 * personal data unreadable everywhere in the log, while the facts and amounts around it stay.
 */
export class PersonalDataVault {
  private readonly keys = new Map<string, Buffer>();

  constructor(private readonly pool: Pool) {}

  /** The subject's key, made if there is none yet. An erased subject gets no new key: its values stay erased. */
  async keyForWriting(subject: string): Promise<Buffer | undefined> {
    const known = this.keys.get(subject);
    if (known) return known;
    await this.pool.query('INSERT INTO vault.keys (subject, key) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      subject,
      randomBytes(32),
    ]);
    await this.fetch([subject]);
    return this.keys.get(subject);
  }

  /** The keys of many subjects in one query; an erased or unknown subject is left out. */
  async keysForReading(subjects: Iterable<string>): Promise<(subject: string) => Buffer | undefined> {
    const missing = [...new Set(subjects)].filter((subject) => !this.keys.has(subject));
    if (missing.length > 0) await this.fetch(missing);
    return (subject) => this.keys.get(subject);
  }

  /** Destroys the subject's key for ever. Processes drop their copies when they hear of it. */
  async erase(subject: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO vault.keys (subject, key) VALUES ($1, NULL)
       ON CONFLICT (subject) DO UPDATE SET key = NULL, erased_at = now()`,
      [subject],
    );
    await this.pool.query(`SELECT pg_notify('vault_erased', $1)`, [subject]);
    this.forget(subject);
  }

  forget(subject: string): void {
    this.keys.delete(subject);
  }

  private async fetch(subjects: string[]): Promise<void> {
    const { rows } = await this.pool.query<{ subject: string; key: Buffer | null }>(
      'SELECT subject, key FROM vault.keys WHERE subject = ANY($1)',
      [subjects],
    );
    if (this.keys.size + rows.length > CACHE_LIMIT) this.keys.clear();
    for (const { subject, key } of rows) if (key) this.keys.set(subject, key);
  }
}

/** Any JSON value under a key. Without a key (an erased subject) the value is gone: {@link ERASED}. */
export function seal(value: unknown, key: Buffer | undefined): Sealed | typeof ERASED {
  if (!key) return ERASED;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return { $sealed: Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64') };
}

/** The value again; {@link ERASED} if its key is gone; what was never sealed comes back as it is. */
export function unseal(value: unknown, key: Buffer | undefined): unknown {
  if (!isSealed(value)) return value;
  if (!key) return ERASED;
  const bytes = Buffer.from(value.$sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as unknown;
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Sealed>).$sealed === 'string';
}
