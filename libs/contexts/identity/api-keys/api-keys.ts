import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { IsNull, Repository } from 'typeorm';
import { Unauthenticated, type Instant } from '#libs/kernel/core';
import { NotificationListener } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import { ApiKey } from '../entities/api-key.entity.js';
import type { Principal } from '../principal.js';
import { hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import { ApiKeyUsage } from './api-key-usage.js';

/** The channel of the Postgres notifications about revoked keys. */
export const API_KEYS_CHANNEL = 'identity_api_keys';

const CACHE_LIMIT = 10_000;
/** The maximum time for which a process can accept a revoked key if its notification connection is down. */
const CACHE_SECONDS = 10;

/** A key that this process knows. */
interface KnownKey {
  readonly principal: Principal;
  readonly expiresAt: Instant | null;
}

/** Checks API keys. Known keys are checked from memory, so that ingestion of usage needs no query for them. */
@Injectable()
export class ApiKeys implements OnModuleInit {
  private readonly memory = new LRUCache<string, KnownKey>({ max: CACHE_LIMIT, ttl: CACHE_SECONDS * 1_000 });
  /** The number of revocations that this process was notified of. A row that was read before a revocation is not cached after it. */
  private revocations = 0;

  constructor(
    @InjectRepository(ApiKey) private readonly rows: Repository<ApiKey>,
    private readonly usage: ApiKeyUsage,
    private readonly listener: NotificationListener,
  ) {}

  async onModuleInit(): Promise<void> {
    const forget = (): void => this.forgetAll();
    await this.listener.on(API_KEYS_CHANNEL, forget, forget);
  }

  /**
   * Returns the principal of a key. Undefined if the key is malformed, unknown or revoked. Throws Unauthenticated (`api_key_expired`) if the
   * key has expired.
   */
  async check(key: string): Promise<Principal | undefined> {
    if (!isWellFormedApiKey(key)) return undefined;
    const hash = hashApiKey(key);
    const known = this.known(hash) ?? (await this.lookUp(hash));
    if (!known) return undefined;
    if (hasExpired(known))
      throw new Unauthenticated(
        'api_key_expired',
        `The API key expired at ${known.expiresAt}; create another one, or rotate keys before they expire`,
      );
    this.usage.note(known.principal.id);
    return known.principal;
  }

  /** Like {@link check}, but looks only in memory. Undefined if the key is not there. */
  principalInMemory(key: string): Principal | undefined {
    const known = isWellFormedApiKey(key) ? this.known(hashApiKey(key)) : undefined;
    if (!known || hasExpired(known)) return undefined;
    this.usage.note(known.principal.id);
    return known.principal;
  }

  /** Clears the cache. Revocations are rare, so one query per key after each of them is acceptable. */
  forgetAll(): void {
    this.revocations++;
    this.memory.clear();
  }

  private known(hash: Buffer): KnownKey | undefined {
    return this.memory.get(hash.toString('base64'));
  }

  private async lookUp(hash: Buffer): Promise<KnownKey | undefined> {
    const { revocations } = this;
    const row = await this.rows.findOneBy({ hash, revokedAt: IsNull() });
    if (!row) return undefined;
    const principal: Principal = Object.freeze({
      kind: 'api_key',
      id: row.id,
      workspaceId: row.workspaceId,
      role: row.role,
      permissions: row.permissions,
    } as const);
    const known = { principal, expiresAt: row.expiresAt };
    if (revocations === this.revocations) this.memory.set(hash.toString('base64'), known);
    return known;
  }
}

function hasExpired({ expiresAt }: KnownKey): boolean {
  return expiresAt !== null && expiresAt <= systemClock.now();
}
