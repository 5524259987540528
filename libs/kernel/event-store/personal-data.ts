import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { ERASED } from '#libs/kernel/domain';
import { CoalescedRead } from '#libs/kernel/system';
import { preparedStatement } from '#libs/kernel/postgres';

/** The stored form of an encrypted personal value: AES-256-GCM, `iv || tag || ciphertext` in base64. */
interface Sealed {
  $sealed: string;
}

/** The channel for Postgres notifications that name a subject whose key was destroyed. */
export const KEY_DESTROYED_CHANNEL = 'vault_erased';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const CACHE_LIMIT = 50_000;

/**
 * Stores the keys for personal data in events, one per subject, such as a customer in a workspace (`acc_….cust_…`). Destroying a key makes
 * the subject's personal data unreadable everywhere in the log. Other event data, such as amounts, stays readable.
 */
export class PersonalDataVault {
  /** Key objects stay in memory, because creating a key object from bytes takes three times as long as decrypting a value. */
  private readonly keys: LRUCache<string, KeyObject>;
  /**
   * The number of times that keys were removed from memory. A key that was read from the database before a removal is not kept afterwards,
   * since it may have been destroyed meanwhile.
   */
  private drops = 0;
  /** The subjects for which keys must be created. */
  private readonly wanted = new Set<string>();
  private readonly making = new CoalescedRead(() => this.make());

  /**
   * @param pool connections that no caller holds while it waits for a key
   * @param limit the largest number of remembered keys
   */
  constructor(
    private readonly pool: Pool,
    limit = CACHE_LIMIT,
  ) {
    this.keys = new LRUCache({ max: limit });
  }

  /** Returns the subject's key, and creates it if there is none. An erased subject gets no new key, so its values stay erased. */
  async getOrCreateKey(subject: string): Promise<KeyObject | undefined> {
    const known = this.keys.get(subject);
    if (known) return known;
    this.wanted.add(subject);
    return (await this.making.read()).get(subject);
  }

  /**
   * Returns the keys of many subjects, by one query. The returned function returns undefined for an erased or unknown subject. The returned
   * function reads the keys from its own map, not from the cache. The cache could drop a key meanwhile, and the subject's values would
   * wrongly be read as erased.
   */
  async keysForReading(subjects: Iterable<string>): Promise<(subject: string) => KeyObject | undefined> {
    const found = new Map<string, KeyObject>();
    const missing: string[] = [];
    for (const subject of new Set(subjects)) {
      const key = this.keys.get(subject);
      if (key) found.set(subject, key);
      else missing.push(subject);
    }
    if (missing.length > 0) for (const [subject, key] of await this.fetch(missing)) found.set(subject, key);
    return (subject) => found.get(subject);
  }

  /** Destroys the subject's key for ever. Other processes remove their copies of the key from memory when they receive the notification. */
  async destroyKey(subject: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO vault.keys (subject, key) VALUES ($1, NULL)
       ON CONFLICT (subject) DO UPDATE SET key = NULL, erased_at = now()`,
      [subject],
    );
    await this.pool.query('SELECT pg_notify($1, $2)', [KEY_DESTROYED_CHANNEL, subject]);
    this.dropCachedKey(subject);
  }

  /** Removes the copy of a destroyed key from memory. */
  dropCachedKey(subject: string): void {
    this.drops++;
    this.keys.delete(subject);
  }

  /**
   * Removes the copies of all keys from memory. The keys stay in the database. The process calls `dropCachedKeys` when it may have missed
   * the notification of an erasure.
   */
  dropCachedKeys(): void {
    this.drops++;
    this.keys.clear();
  }

  /** Creates the keys of all subjects that wait for their key, in a single commit. */
  private async make(): Promise<Map<string, KeyObject>> {
    // The order is fixed, so that two processes that create keys for the same subjects cannot deadlock.
    const subjects = [...this.wanted].sort();
    this.wanted.clear();
    const { rows } = await this.pool.query<{ subject: string; key: Buffer }>(
      preparedStatement(
        `INSERT INTO vault.keys (subject, key) SELECT * FROM unnest($1::text[], $2::bytea[])
         ON CONFLICT DO NOTHING RETURNING subject, key`,
        [subjects, subjects.map(() => randomBytes(32))],
      ),
    );
    // Only the process that created a key knows it without a query. Other processes learn it from the table.
    const made = new Map(rows.map(({ subject, key }) => [subject, createSecretKey(key)]));
    const others = subjects.filter((subject) => !made.has(subject));
    if (others.length > 0) for (const [subject, key] of await this.fetch(others)) made.set(subject, key);
    return made;
  }

  private async fetch(subjects: string[]): Promise<Map<string, KeyObject>> {
    const { drops } = this;
    const { rows } = await this.pool.query<{ subject: string; key: Buffer | null }>(
      preparedStatement('SELECT subject, key FROM vault.keys WHERE subject = ANY($1)', [subjects]),
    );
    const fetched = new Map(
      rows.flatMap(({ subject, key }) => (key ? [[subject, createSecretKey(key)] as const] : [])),
    );
    if (drops === this.drops) for (const [subject, key] of fetched) this.keys.set(subject, key);
    return fetched;
  }
}

/** The part of the vault that the codec needs. */
export type PersonalDataKeySource = Pick<PersonalDataVault, 'getOrCreateKey' | 'keysForReading'>;

/**
 * Returns no keys, so that all personal data is read as {@link ERASED}. `noPersonalDataKeys` is for readers that must not see personal
 * data.
 */
export const noPersonalDataKeys: PersonalDataKeySource = {
  keysForReading: async () => () => undefined,
  getOrCreateKey: async () => {
    throw new Error('Events are only read here');
  },
};

/** Encrypts any JSON value. The value becomes {@link ERASED} if there is no key, because the subject was erased. */
export function encryptPersonalValue(value: unknown, key: KeyObject | undefined): Sealed | typeof ERASED {
  if (!key) return ERASED;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return { $sealed: Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64') };
}

/** Returns the decrypted value, or {@link ERASED} if the key was destroyed. A value that was never encrypted is returned unchanged. */
export function decryptPersonalValue(value: unknown, key: KeyObject | undefined): unknown {
  if (!isSealed(value)) return value;
  if (!key) return ERASED;
  const bytes = Buffer.from(value.$sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as unknown;
}

function isSealed(value: unknown): value is Sealed {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<Sealed>).$sealed === 'string'
  );
}
