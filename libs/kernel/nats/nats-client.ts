import { EventEmitter, once } from 'node:events';
import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { Unavailable } from '#libs/kernel/core';
import { repeatWork, type Logger } from '#libs/kernel/system';

const RETRY_MILLIS = 1_000;
const CONNECTED = 'connected';
/** The default maximum payload of a NATS server, in bytes. */
const DEFAULT_MAX_PAYLOAD = 1_048_576;

/**
 * The process's connection to NATS. The NATS connection is opened in the background, and opened again whenever it is lost. Billing never
 * waits for NATS. While NATS is unreachable, {@link requireJetStream} throws, and its callers try again later.
 */
export class NatsClient {
  private readonly abort = new AbortController();
  private connection: NatsConnection | undefined;
  private client: JetStreamClient | undefined;
  private running: Promise<void> | undefined;
  private reachable: boolean | undefined;
  private readonly news = new EventEmitter();

  constructor(
    private readonly options: NodeConnectionOptions,
    private readonly logger: Logger,
  ) {}

  /** Connects in the background. */
  start(): void {
    this.running ??= this.run();
  }

  /** Tells whether the process is connected to NATS now. */
  get isConnected(): boolean {
    return this.reachable === true;
  }

  /** Returns the JetStream client of the present connection. Throws Unavailable (`nats_unavailable`) if there is no connection. */
  requireJetStream(): JetStreamClient {
    if (!this.isConnected || !this.client) throw new Unavailable('nats_unavailable', 'NATS is not reachable');
    return this.client;
  }

  /** The maximum size of a message in bytes, including headers, on the server of the present or latest connection. */
  get maxPayload(): number {
    return this.connection?.info?.max_payload ?? DEFAULT_MAX_PAYLOAD;
  }

  /** Resolves when the connection exists, or when `signal` is aborted. */
  async waitForConnection(signal: AbortSignal): Promise<void> {
    while (!this.isConnected && !signal.aborted)
      await once(this.news, CONNECTED, { signal }).catch(() => undefined);
  }

  /** Sends pending messages, such as acknowledgements, and closes the connection. */
  async stop(): Promise<void> {
    this.abort.abort();
    if (this.isConnected) await this.connection?.flush().catch(() => undefined);
    await this.connection?.close();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.abort;
    const hold = async (): Promise<void> => {
      const connection = await connect(this.options);
      await (signal.aborted ? connection.close() : this.hold(connection));
    };
    await repeatWork(signal, RETRY_MILLIS, hold, (error) => this.note(false, error));
  }

  /** Resolves when the connection is closed permanently. The client library reconnects by itself after a short break. */
  private async hold(connection: NatsConnection): Promise<void> {
    this.connection = connection;
    this.client = jetstream(connection);
    this.note(true);
    void this.follow(connection);
    const ended = await connection.closed();
    this.connection = undefined;
    if (!this.abort.signal.aborted) this.note(false, ended ?? undefined);
  }

  private async follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') this.note(false);
      if (status.type === 'reconnect') this.note(true);
      if (status.type === 'error')
        this.logger.warn({ error: status.error.message }, 'NATS refused something');
    }
  }

  /** Logs only when the connection is lost or restored, so an outage of a day causes two log lines. */
  private note(reachable: boolean, error?: Error): void {
    if (reachable === this.reachable || this.abort.signal.aborted) return;
    this.reachable = reachable;
    if (!reachable) return this.logger.warn({ error: error?.message }, 'NATS is not reachable, trying again');
    this.logger.info('connected to NATS');
    this.news.emit(CONNECTED);
  }
}

/** Returns the readiness check of the NATS connection, if the process has a connection. */
export function natsCheck(
  nats: Pick<NatsClient, 'requireJetStream'> | undefined,
): Record<string, () => Promise<unknown>> {
  return nats ? { nats: async () => nats.requireJetStream() } : {};
}
