import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Pool } from 'pg';
import type { Position } from '#libs/kernel/domain';
import { CoalescedRead } from '#libs/kernel/system';
import { NotificationListener } from '#libs/kernel/postgres';
import { READ_MODEL_POSITION_CHANNEL, MODEL_REPLACED_CHANNEL } from './checkpoints.js';

interface Waiter {
  position: Position;
  wake: (reached: boolean) => void;
}

/** Receives notifications with the position of the read models, so that a request can wait for its own write. */
@Injectable()
export class ReadModelProgress implements OnModuleInit {
  /** The position that all current read models have reached. */
  private reached: Position = -1n;
  /**
   * True if all read models are kept current. False while a read model is being rebuilt in another version, because its live rows get no
   * new events then.
   */
  private complete = true;
  /**
   * The epoch of the present tables, a number that grows when the tables of a read model are replaced. The positions in notifications with
   * another epoch are ignored. Undefined until it is read.
   */
  private epoch: number | undefined;
  private readonly looking = new CoalescedRead(() => this.look());
  private waiters: Waiter[] = [];

  constructor(
    private readonly pool: Pool,
    private readonly listener: NotificationListener,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.listener.on(
      READ_MODEL_POSITION_CHANNEL,
      (payload) => this.hear(payload),
      () => this.lookSoon(),
    );
    await this.listener.on(MODEL_REPLACED_CHANNEL, () => {
      this.epoch = undefined;
      this.lookSoon();
    });
    await this.looking.read();
  }

  /**
   * Waits until every read model has processed `position`. Returns false after `timeoutMillis`, or at once while a read model is being
   * rebuilt in another version.
   */
  async waitFor(position: Position, timeoutMillis: number): Promise<boolean> {
    if (!this.complete) return false;
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

  private hear(payload: string): void {
    const [position = '', epoch] = payload.split(' ');
    if (Number(epoch) === this.epoch) this.advance(BigInt(position));
    else if (this.complete) this.lookSoon();
  }

  private lookSoon(): void {
    void this.looking.read().catch(() => undefined);
  }

  private advance(position: Position): void {
    if (!this.complete || position <= this.reached) return;
    this.reached = position;
    const ready = this.waiters.filter((waiter) => waiter.position <= position);
    if (ready.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => waiter.position > position);
    for (const waiter of ready) waiter.wake(true);
  }

  /**
   * Reads from the database which position the read models have reached, and whether one is being rebuilt. Notifications do not say whether
   * a rebuild is in progress, and those that are sent while the connection is lost do not arrive.
   */
  private async look(): Promise<void> {
    const { rows } = await this.pool.query<{ position: string | null; complete: boolean; epoch: number }>(
      `SELECT min(coalesce(position, -1))::text AS position, count(next_version) = 0 AS complete,
         coalesce(sum(generation), 0)::int AS epoch
       FROM projection.checkpoints`,
    );
    const { position, complete, epoch } = rows[0]!;
    // A rebuilt read model may be behind the position that the others have reached.
    const isOther = epoch !== this.epoch;
    this.epoch = epoch;
    const isNew = complete && !this.complete;
    this.complete = complete;
    if (isNew || isOther) this.reached = -1n;
    if (position !== null) this.advance(BigInt(position));
    // Notifications that came during the read were ignored.
    if (isNew) await this.look();
  }
}
