import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { IsNull, Repository } from 'typeorm';
import { Unauthenticated } from '#libs/kernel/core';
import { NotificationListener } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import { ApiKey } from '../entities/api-key.entity.js';
import type { Principal } from '../principal.js';
import { hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import { ApiKeyUseRecorder } from './api-key-use-recorder.js';

/** The channel of the Postgres notifications about revoked and rotated keys. */
export const API_KEY_CHANGES_CHANNEL = 'identity_api_keys';

const CACHE_LIMIT = 10_000;
/**
 * The maximum time for which a process can accept a revoked or rotated key if its notification connection is down. The same time applies to
 * the old secret of a key that got a new secret.
 */
const CACHE_SECONDS = 10;

/** Checks API keys. Known keys are checked from memory, so that ingestion of usage needs no query for them. */
@Injectable()
export class ApiKeyAuthenticator implements OnModuleInit {
  private readonly memory = new LRUCache<string, Principal>({ max: CACHE_LIMIT, ttl: CACHE_SECONDS * 1_000 });
  /**
   * The number of times that the cache of API keys was cleared. A row that was read before the cache was cleared is not added to the cache
   * afterwards.
   */
  private clearings = 0;

  constructor(
    @InjectRepository(ApiKey) private readonly rows: Repository<ApiKey>,
    private readonly usage: ApiKeyUseRecorder,
    private readonly listener: NotificationListener,
  ) {}

  async onModuleInit(): Promise<void> {
    const forget = (): void => this.clearCache();
    await this.listener.on(API_KEY_CHANGES_CHANNEL, forget, forget);
  }

  /**
   * Returns the principal of a key. Returns undefined if the key is malformed, unknown or revoked. Throws Unauthenticated
   * (`api_key_expired`) if the key has expired.
   */
  async authenticate(key: string): Promise<Principal | undefined> {
    if (!isWellFormedApiKey(key)) return undefined;
    const hash = hashApiKey(key);
    const principal = this.known(hash) ?? (await this.lookUp(hash));
    if (!principal) return undefined;
    if (hasExpired(principal))
      throw new Unauthenticated(
        'api_key_expired',
        `The API key expired at ${principal.expiresAt!}; create another one, or rotate keys before they expire`,
      );
    this.usage.recordUse(principal.id);
    return principal;
  }

  /** Returns the principal of a key that is in memory, without a query. Returns undefined if the key is not in memory or has expired. */
  principalInMemory(key: string): Principal | undefined {
    const principal = isWellFormedApiKey(key) ? this.known(hashApiKey(key)) : undefined;
    if (!principal || hasExpired(principal)) return undefined;
    this.usage.recordUse(principal.id);
    return principal;
  }

  /** Clears the cache. Revocations of keys are rare, so one query per key after each revocation is acceptable. */
  clearCache(): void {
    this.clearings++;
    this.memory.clear();
  }

  private known(hash: Buffer): Principal | undefined {
    return this.memory.get(hash.toString('base64'));
  }

  private async lookUp(hash: Buffer): Promise<Principal | undefined> {
    const { clearings } = this;
    const row = await this.rows.findOneBy({ hash, revokedAt: IsNull() });
    if (!row) return undefined;
    const principal: Principal = Object.freeze({
      kind: 'api_key',
      id: row.id,
      workspaceId: row.workspaceId,
      role: row.role,
      permissions: row.permissions,
      expiresAt: row.expiresAt,
    } as const);
    if (clearings === this.clearings) this.memory.set(hash.toString('base64'), principal);
    return principal;
  }
}

function hasExpired({ expiresAt = null }: Principal): boolean {
  return expiresAt !== null && expiresAt <= systemClock.now();
}
