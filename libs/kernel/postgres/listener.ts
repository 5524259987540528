import pg from 'pg';
import type { Logger } from '#libs/kernel/system';

type Handler = (payload: string) => void;

const RETRY_MILLIS = 250;

/**
 * Receives Postgres notifications on a separate connection, and reconnects when the connection breaks. Notifications that are sent while
 * the connection is broken are lost. After a reconnection, `onReconnect` is called, so that a subscriber can read the state that it missed.
 */
export class NotificationListener {
  private readonly handlers = new Map<string, Set<Handler>>();
  private readonly reconnected = new Set<() => void>();
  private client: pg.Client | undefined;
  /** The LISTEN statements run one after another, since a connection takes one statement at a time. */
  private listening: Promise<void> = Promise.resolve();
  private closed = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    private readonly logger?: Logger,
  ) {}

  /** Opens the connection. Rejects if the first attempt to connect fails. */
  async start(): Promise<void> {
    await this.connect();
  }

  /** Calls `handler` for every notification on `channel`, until the returned function is called. */
  async on(channel: string, handler: Handler, onReconnect?: () => void): Promise<() => void> {
    const handlers = this.handlers.get(channel) ?? new Set<Handler>();
    handlers.add(handler);
    this.handlers.set(channel, handlers);
    if (onReconnect) this.reconnected.add(onReconnect);
    // This also runs for a known channel, because its first LISTEN can still be in progress. A repeated LISTEN changes nothing. If LISTEN
    // fails, the connection is lost, and the next connection listens to every channel.
    const client = this.client;
    if (client) {
      this.listening = this.listening.then(() => listen(client, channel)).catch(() => undefined);
      await this.listening;
    }
    return () => {
      handlers.delete(handler);
      if (onReconnect) this.reconnected.delete(onReconnect);
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'countinghouse listener',
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.handlers.get(channel) ?? []) handler(payload ?? '');
    });
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    try {
      await client.connect();
      for (const channel of this.handlers.keys()) await listen(client, channel);
      if (this.closed) throw new Error('the listener was closed');
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    // From here on, `client` is the present connection. If it was lost before this point, only this attempt has failed.
    this.client = client;
  }

  private lost(client: pg.Client, error?: Error): void {
    if (this.closed || this.client !== client) return;
    this.client = undefined;
    this.logger?.warn({ error: error?.message }, 'notification connection lost, reconnecting');
    this.reconnectLater();
  }

  private reconnectLater(): void {
    if (this.closed) return;
    this.retry = setTimeout(() => {
      this.connect().then(
        () => {
          for (const look of this.reconnected) look();
        },
        () => this.reconnectLater(),
      );
    }, RETRY_MILLIS);
  }
}

async function listen(client: pg.Client, channel: string): Promise<void> {
  await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
}
