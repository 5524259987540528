import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import type { NotificationListener } from '#libs/kernel/postgres';

const CHANNEL = 'usage_appended';
/** Postgres accepts payloads below 8,000 bytes. */
const MAX_PAYLOAD = 7_900;
const INTERVAL_MILLIS = 100;

/** Notifies the processes that fold meters that these streams have new events. */
export async function notifyAppended(pool: Pool, streams: readonly number[]): Promise<void> {
  const payload = streams.join(',');
  await pool.query('SELECT pg_notify($1, $2)', [CHANNEL, payload.length > MAX_PAYLOAD ? '' : payload]);
}

/**
 * Notifies of streams with new events, separately from the appends and at most every 100 ms. A notification inside a transaction would make
 * its commit wait for every other transaction that notifies.
 */
@Injectable()
export class AppendNotifier {
  private readonly touched = new Set<number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly pool: Pool) {}

  /**
   * The first append is notified at once. Appends that follow shortly after are notified together. A crash can lose notifications without
   * harm, because readers also check regularly.
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
 * Calls `onAppend` with the streams that have new events. Calls it with undefined if any stream can have new events, for example after a
 * lost connection. The returned function stops the calls.
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
