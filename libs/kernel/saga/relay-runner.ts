import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import type { RecordedEvent } from '#libs/kernel/domain';
import { addRelay, moveRelay, relayPosition, type Relay } from './relay.js';

const MAX_BATCH = 500;
const LINGER_MILLIS = 10;
/** Between two looks whether the process that has the lock is gone. */
const LOCK_MILLIS = 1_000;
const RETRY_MILLIS = 250;
const MAX_RETRY_MILLIS = 5_000;
/** Events that concern nobody are read again after a crash, up to so many, rather than each noted. */
const NOTE_EVERY = 1_000;

/**
 * Runs one relay, in one process of a database at a time: the others wait for its lock. Whatever goes wrong is tried
 * again and told to the log, and holds up nothing but the relay.
 */
export class RelayRunner {
  constructor(
    private readonly relay: Relay,
    private readonly feed: EventFeed,
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {}

  /** To be called before the first event that the relay must not miss. */
  async prepare(): Promise<void> {
    await addRelay(this.pool, this.relay.name);
  }

  /** Runs until `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.runUnderLock(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.tell('relay stopped, starting it again', failures++, error as Error);
      }
      await pause(failures, signal);
    }
  }

  /** Rejects when the connection that holds the lock is lost: without it, another process goes on. */
  private async runUnderLock(signal: AbortSignal): Promise<void> {
    const lock = await this.pool.connect();
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    const lost = new Promise<never>((_, reject) => lock.on('error', reject));
    lost.catch(() => undefined);
    try {
      await Promise.race([this.waitAndFollow(lock, both), lost]);
    } finally {
      ended.abort();
      lock.release(true);
    }
  }

  private async waitAndFollow(lock: PoolClient, signal: AbortSignal): Promise<void> {
    while (!(await takeLock(lock, this.relay.name))) {
      await delay(LOCK_MILLIS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
    await this.follow(signal);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    let noted = await relayPosition(this.pool, this.relay.name);
    let unnoted = 0;
    for await (const { events, position } of this.feed.batches(noted, MAX_BATCH, signal, LINGER_MILLIS)) {
      const sent = await this.send(events, signal);
      unnoted += events.length;
      if (signal.aborted) return;
      if (sent === 0 && unnoted < NOTE_EVERY) continue;
      await moveRelay(this.pool, this.relay.name, noted, position);
      noted = position;
      unnoted = 0;
    }
  }

  /** Until the other system has them; 0 if `signal` is aborted before. */
  private async send(events: readonly RecordedEvent[], signal: AbortSignal): Promise<number> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await this.relay.send(events);
      } catch (error) {
        this.tell('relay could not send, trying again', failures, error as Error);
        await pause(failures, signal);
      }
    }
    return 0;
  }

  /** One line for what is away, however long. */
  private tell(message: string, failures: number, { message: error }: Error): void {
    this.logger[failures === 0 ? 'warn' : 'debug']({ relay: this.relay.name, error, failures }, message);
  }
}

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const millis = Math.min(RETRY_MILLIS * 2 ** failures, MAX_RETRY_MILLIS);
  await delay(millis, undefined, { signal }).catch(() => undefined);
}

async function takeLock(lock: PoolClient, relay: string): Promise<boolean> {
  const { rows } = await lock.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(hashtextextended('relay ' || $1, 0)) AS locked`,
    [relay],
  );
  return rows[0]?.locked === true;
}
