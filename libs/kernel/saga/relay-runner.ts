import type { Pool, PoolClient } from 'pg';
import { tryLock, waitForLock, withLockConnection } from '#libs/kernel/postgres';
import { backoffMillis, sleep, type Logger } from '#libs/kernel/system';
import type { EventFeed } from '#libs/kernel/event-store';
import type { RecordedEvent } from '#libs/kernel/domain';
import { addRelayPosition, moveRelayPosition, loadRelayPosition, type Relay } from './relay.js';

const MAX_BATCH = 500;
const LINGER_MILLIS = 10;
const RETRY = { firstMillis: 250, maxMillis: 5_000 };
/**
 * A relay stores its position when it has sent events, or has read this many events without sending any. Storing the position after each
 * event would be expensive.
 */
const NOTE_EVERY = 1_000;

/**
 * Runs one relay; of all processes that use the same database, only one runs the relay at a time. Other processes wait for the relay's
 * lock. The runner logs a failure and tries again; other relays and process managers are not delayed.
 */
export class RelayRunner {
  constructor(
    private readonly relay: Relay,
    private readonly feed: EventFeed,
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {}

  /** Creates the relay if it does not exist. Must be called before the first event that the relay must send is appended. */
  async prepare(): Promise<void> {
    await addRelayPosition(this.pool, this.relay.name);
  }

  /** Runs until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        // If the lock is lost, another process takes over.
        await withLockConnection(this.pool, signal, (lock, both) => this.waitAndFollow(lock, both));
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.tell('relay stopped, starting it again', failures++, error as Error);
      }
      await pause(failures, signal);
    }
  }

  private async waitAndFollow(lock: PoolClient, signal: AbortSignal): Promise<void> {
    const tryOnce = (): Promise<boolean> =>
      tryLock(lock, `hashtextextended('relay ' || $1, 0)`, [this.relay.name]);
    if (await waitForLock(tryOnce, signal)) await this.follow(signal);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    let noted = await loadRelayPosition(this.pool, this.relay.name);
    let unnoted = 0;
    for await (const { events, position } of this.feed.batches(noted, MAX_BATCH, signal, LINGER_MILLIS)) {
      const sent = await this.send(events, signal);
      unnoted += events.length;
      if (signal.aborted) return;
      if (sent === 0 && unnoted < NOTE_EVERY) continue;
      await moveRelayPosition(this.pool, this.relay.name, noted, position);
      noted = position;
      unnoted = 0;
    }
  }

  /**
   * Repeats the sending of events until the other system has received them. Returns 0 if `signal` is aborted before the other system has
   * received the events.
   */
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

  /** Writes only one log line for an outage, even if it lasts long. */
  private tell(message: string, failures: number, { message: error }: Error): void {
    this.logger[failures === 0 ? 'warn' : 'debug']({ relay: this.relay.name, error, failures }, message);
  }
}

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  await sleep(backoffMillis(failures, RETRY), signal);
}
