import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Pool } from 'pg';
import type { Position } from '#libs/event-store';
import { NotificationListener } from '#libs/postgres';
import { PROJECTED_CHANNEL } from './checkpoints.js';

interface Waiter {
  position: Position;
  wake: (reached: boolean) => void;
}

/** Knows how far the read models have come, by notification, and lets a request wait for its own write. */
@Injectable()
export class ReadModels implements OnModuleInit {
  private reached: Position = -1n;
  private waiters: Waiter[] = [];

  constructor(
    private readonly pool: Pool,
    private readonly listener: NotificationListener,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.listener.on(
      PROJECTED_CHANNEL,
      (payload) => this.advance(BigInt(payload)),
      () => void this.look().catch(() => undefined),
    );
    await this.look();
  }

  /** Waits until every read model has passed `position`; false if that took longer than `timeoutMillis`. */
  async waitFor(position: Position, timeoutMillis: number): Promise<boolean> {
    if (this.reached >= position) return true;
    return new Promise<boolean>((resolve) => {
      const waiter: Waiter = {
        position,
        wake: (reached) => {
          clearTimeout(timer);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => {
        this.waiters = this.waiters.filter((one) => one !== waiter);
        resolve(false);
      }, timeoutMillis);
      this.waiters.push(waiter);
    });
  }

  private advance(position: Position): void {
    if (position <= this.reached) return;
    this.reached = position;
    const ready = this.waiters.filter((waiter) => waiter.position <= position);
    if (ready.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => waiter.position > position);
    for (const waiter of ready) waiter.wake(true);
  }

  /** What may have been missed before the first notification and while the connection was away. */
  private async look(): Promise<void> {
    const { rows } = await this.pool.query<{ position: string | null }>(
      `SELECT min(coalesce(position, -1))::text AS position FROM projection.checkpoints`,
    );
    const position = rows[0]?.position;
    if (position) this.advance(BigInt(position));
  }
}
