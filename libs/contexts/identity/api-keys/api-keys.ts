import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { IsNull, Repository } from 'typeorm';
import { NotificationListener } from '#libs/kernel/postgres';
import { ApiKey } from '../entities/api-key.entity.js';
import type { Principal } from '../principal.js';
import { hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import { ApiKeyUsage } from './api-key-usage.js';

/** Postgres notifications that a key was revoked. */
export const API_KEYS_CHANNEL = 'identity_api_keys';

const CACHE_LIMIT = 10_000;
/** Bounds what a process can miss while its notification connection is down. */
const CACHE_SECONDS = 10;

/** Checks API keys. Known ones are checked from memory, so that taking in usage costs no query for them. */
@Injectable()
export class ApiKeys implements OnModuleInit {
  private readonly memory = new LRUCache<string, Principal>({ max: CACHE_LIMIT, ttl: CACHE_SECONDS * 1_000 });
  /** Counts the revocations heard of, so that a row that was read before one is not remembered after it. */
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

  /** Whom the key speaks for; undefined if it is malformed, unknown or revoked. */
  async check(key: string): Promise<Principal | undefined> {
    if (!isWellFormedApiKey(key)) return undefined;
    const hash = hashApiKey(key);
    const principal = this.known(hash) ?? (await this.lookUp(hash));
    if (principal) this.usage.note(principal.id);
    return principal;
  }

  /** As {@link check}, where the answer is in memory; undefined if it is not. */
  remembered(key: string): Principal | undefined {
    const principal = isWellFormedApiKey(key) ? this.known(hashApiKey(key)) : undefined;
    if (principal) this.usage.note(principal.id);
    return principal;
  }

  /** Drops what is remembered. A revocation is rare, and each key is worth one query after it. */
  forgetAll(): void {
    this.revocations++;
    this.memory.clear();
  }

  private known(hash: Buffer): Principal | undefined {
    return this.memory.get(hash.toString('base64'));
  }

  private async lookUp(hash: Buffer): Promise<Principal | undefined> {
    const { revocations } = this;
    const row = await this.rows.findOneBy({ hash, revokedAt: IsNull() });
    if (!row) return undefined;
    const principal: Principal = Object.freeze({
      kind: 'api_key',
      id: row.id,
      workspaceId: row.workspaceId,
      role: row.role,
    } as const);
    if (revocations === this.revocations) this.memory.set(hash.toString('base64'), principal);
    return principal;
  }
}
