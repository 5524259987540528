import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { NotificationListener } from '#libs/kernel/postgres';

const CHANNEL = 'usage_appended';
/** Postgres accepts only notifications with a payload below 8,000 bytes. */
const MAX_PAYLOAD = 7_900;
const INTERVAL_MILLIS = 100;

/** Announces to all processes which streams have new events. The processes that maintain meters then read these events. */
export async function notifyAppended(pool: Pool, streams: readonly number[]): Promise<void> {
  const payload = streams.join(',');
  await pool.query('SELECT pg_notify($1, $2)', [CHANNEL, payload.length > MAX_PAYLOAD ? '' : payload]);
}

/**
 * Sends notifications about streams with new events, separately from the appends and at most every 100 ms. A notification inside an
 * append's transaction would delay its commit until all other notifying transactions have ended.
 */
@Injectable()
export class AppendNotifier {
  private readonly touched = new Set<number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly pool: Pool) {}

  /**
   * The first append is announced at once. Appends that follow within 100 ms are announced together. If a crash loses notifications, no
   * usage is lost, because readers also check regularly.
   */
  notifySoon(stream: number): void {
    this.touched.add(stream);
    if (!this.timer) this.tell();
  }

  private tell(): void {
    const streams = [...this.touched];
    this.touched.clear();
    // A lost notification only delays the meters, because a measurement folds missing events itself.
    notifyAppended(this.pool, streams).catch(() => undefined);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.touched.size > 0) this.tell();
    }, INTERVAL_MILLIS).unref();
  }
}

/**
 * Calls `onAppend` with the streams that have new events. Calls `onAppend` with undefined if any stream can have new events, for example
 * after a lost connection. Returns a function that stops the calls.
 */
export async function listenForAppends(
  listener: NotificationListener,
  onAppend: (streams: number[] | undefined) => void,
): Promise<() => void> {
  return listener.on(
    CHANNEL,
    (payload) => onAppend(payload === '' ? undefined : payload.split(',').map(Number)),
    () => onAppend(undefined),
  );
}
