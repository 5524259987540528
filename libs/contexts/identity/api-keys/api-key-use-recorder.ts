import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { instantFromMillis } from '#libs/kernel/core';
import { systemClock, type Logger } from '#libs/kernel/system';
import { ApiKey } from '../entities/api-key.entity.js';

const MIN_WRITE_INTERVAL_MILLIS = 60_000;
const REMEMBERED_KEYS = 10_000;

/** Records when API keys were last used. Each key's use is written at most once a minute, and requests do not wait for the write. */
@Injectable()
export class ApiKeyUseRecorder implements BeforeApplicationShutdown {
  private readonly noted = new LRUCache<string, number>({ max: REMEMBERED_KEYS });
  private readonly writing = new Set<Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly logger: Logger,
  ) {}

  recordUse(apiKeyId: string): void {
    const now = systemClock.nowMillis();
    if (now - (this.noted.get(apiKeyId) ?? 0) < MIN_WRITE_INTERVAL_MILLIS) return;
    this.noted.set(apiKeyId, now);
    const write = this.write(apiKeyId, now).finally(() => this.writing.delete(write));
    this.writing.add(write);
  }

  /** Resolves when all recorded uses are written. */
  async waitUntilWritten(): Promise<void> {
    await Promise.all(this.writing);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.waitUntilWritten();
  }

  private async write(apiKeyId: string, millis: number): Promise<void> {
    try {
      await this.dataSource.manager.update(
        ApiKey,
        { id: apiKeyId },
        { lastUsedAt: instantFromMillis(millis) },
      );
    } catch (error) {
      this.logger.warn({ error: (error as Error).message, apiKeyId }, 'could not note the use of an API key');
    }
  }
}
