import type { Server } from '@grpc/grpc-js';
import type { Client, Pool } from 'pg';
import { createLogger, systemClock, errorWithoutStack, type Clock, type Logger } from '#libs/kernel/system';
import { requireFinishedRestore, type ReadinessChecks, storageCheck } from '#libs/kernel/runtime';
import { createGrpcServer, urlHost, listen, requireLoopbackAddress, shutDown } from './listener.js';
import { createReaderPool, createWriterClient } from './log/connections.js';
import { WriterRightLost } from './log/errors.js';
import { beginEpoch, takeWriterLock, type WriterRight } from './log/fence.js';
import { StreamHeadReader } from './log/stream-head-reader.js';
import { LogReader } from './log/log-reader.js';
import { LogWriter } from './log/log-writer.js';
import { requireMigratedLog } from './log/migrations/index.js';
import { StreamHeadCache } from './log/stream-head-cache.js';
import { nodeGauges } from './metrics.js';
import type { NodeContext } from './rpc/node-context.js';
import { addServices } from './rpc/services.js';
import { Tail } from './subscriptions/tail.js';
import { QueuedLogWriter } from './writer/queued-log-writer.js';

/** EventStoreDB's default, one mebibyte. */
const MAX_APPEND_SIZE = 1024 * 1024;
/** EventStoreDB's default. */
const WRITE_TIMEOUT_MILLIS = 2_000;
const LOCK_WAIT_MILLIS = 3_000;
const READER_CONNECTIONS = 8;

/** The options of {@link startEventStoreNode}. */
export interface EventStoreNodeOptions {
  /**
   * The URL of a database of Postgres 15 or newer. The event log is in the schema `eventstore` of this database, which
   * `countinghouse migrate` creates.
   */
  readonly databaseUrl: string;
  /** The port on the loopback address. 0 chooses a free port. */
  readonly port: number;
  /** A loopback address. The node refuses other addresses than loopback, because it has no authentication. */
  readonly host?: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** The time to wait for another node's lock, in milliseconds. */
  readonly lockWaitMillis?: number;
  /** This function is called once, when the node has lost the right to write. The node cannot be used any more. */
  readonly onFenceLost?: (error: WriterRightLost) => void;
}

/**
 * Starts a node. The node acquires the writer's lock and listens.
 *
 * @throws Error with a one-line message if the address is not loopback, if the port is in use, or if the database cannot be reached, is not
 * up to date, or is used by another node
 */
export async function startEventStoreNode(options: EventStoreNodeOptions): Promise<EventStoreNode> {
  const node = new EventStoreNode(options);
  try {
    await node.start();
  } catch (error) {
    await node.closeAtOnce();
    throw error;
  }
  return node;
}

/** A running node. {@link startEventStoreNode} creates it. */
export class EventStoreNode {
  readonly #options: EventStoreNodeOptions;
  readonly #host: string;
  readonly #logger: Logger;
  readonly #server: Server = createGrpcServer();
  readonly #client: Client;
  readonly #pool: Pool;
  readonly #closing = new AbortController();
  #writer: QueuedLogWriter | undefined;
  #closed: Promise<void> | undefined;
  #fenceLost: WriterRightLost | undefined;
  #stopObserving: (() => void) | undefined;
  #port: number;

  constructor(options: EventStoreNodeOptions) {
    this.#options = options;
    this.#host = requireLoopbackAddress(options.host ?? '127.0.0.1');
    this.#port = options.port;
    this.#logger = options.logger ?? createLogger('eventstore', 'warn');
    this.#client = createWriterClient(options.databaseUrl);
    this.#client.on('error', (cause) => this.#lose(cause));
    this.#client.on('end', () => this.#lose(undefined));
    this.#pool = createReaderPool(options.databaseUrl, READER_CONNECTIONS);
    this.#pool.on('error', (error) => {
      // `end()` of the pool does not wait until Postgres has closed each connection. If Postgres stops then, it cuts these connections.
      if (this.#closing.signal.aborted) return;
      this.#logger.warn(errorWithoutStack(error), 'a reading connection was lost');
    });
  }

  get port(): number {
    return this.#port;
  }

  /** The connection string for the official client. */
  get url(): string {
    return `esdb://${urlHost(this.#host)}:${this.#port}?tls=false`;
  }

  /** Rejects when the database does not answer. */
  async checkDatabase(): Promise<void> {
    await this.#pool.query('SELECT 1');
  }

  /** The check that the database can write to its disk, so that events can be appended. */
  storageCheck(): ReadinessChecks {
    return storageCheck(this.#pool);
  }

  async start(): Promise<void> {
    await this.#connect();
    await takeWriterLock(this.#client, this.#options.lockWaitMillis ?? LOCK_WAIT_MILLIS);
    await requireFinishedRestore(this.#client);
    await requireMigratedLog(this.#client);
    const tenure = await beginEpoch(this.#client);
    const context = this.#context(tenure);
    addServices(this.#server, context);
    this.#port = await listen(this.#server, this.#host, this.#port);
    const { writer, tail } = context;
    this.#stopObserving = nodeGauges.addReader(() => [
      { labels: {}, values: { position: tail.lastPosition, waiting: writer.waitingCount } },
    ]);
    const { epoch, lastPosition } = tenure;
    this.#logger.info({ port: this.#port, epoch, position: lastPosition }, 'the event store node is up');
  }

  /** Accepts no new requests, finishes running requests, and closes the database connections. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#writer?.close();
    this.#closing.abort();
    await shutDown(this.#server);
    await this.closeAtOnce();
    this.#logger.info('the event store node is down');
  }

  /** Releases the port and the database at once, without waiting for running requests. */
  async closeAtOnce(): Promise<void> {
    this.#stopObserving?.();
    this.#closing.abort();
    this.#server.forceShutdown();
    await Promise.allSettled([this.#client.end(), this.#pool.end()]);
  }

  async #connect(): Promise<void> {
    try {
      await this.#client.connect();
    } catch (cause) {
      const { host, port } = this.#client;
      throw new Error(
        `The event store node cannot connect to Postgres at ${host}:${port}: ${reasonOf(cause)}`,
        {
          cause,
        },
      );
    }
  }

  #context(tenure: WriterRight): NodeContext {
    const clock = this.#options.clock ?? systemClock;
    const nowMillis = (): number => clock.nowMillis();
    const heads = new StreamHeadCache();
    const tail = new Tail(tenure.lastPosition);
    const writer = new QueuedLogWriter({
      log: new LogWriter(this.#client, tenure),
      heads,
      tail,
      highestStreamId: tenure.highestStreamId,
      nowMillis,
      logger: this.#logger,
      onFenceLost: (error) => this.#lose(error),
    });
    this.#writer = writer;
    return {
      writer,
      reader: new LogReader(this.#pool),
      heads: new StreamHeadReader(heads, this.#pool),
      tail,
      nowMillis,
      logger: this.#logger,
      maxAppendSize: MAX_APPEND_SIZE,
      writeTimeoutMillis: WRITE_TIMEOUT_MILLIS,
      closing: this.#closing.signal,
      instanceId: tenure.instanceId,
      host: this.#host,
      port: () => this.#port,
    };
  }

  /** Handles the loss of the right to write. Called when the connection with the lock has ended, or when another node has the log. */
  #lose(cause: Error | undefined): void {
    if (!this.#writer || this.#fenceLost || this.#closing.signal.aborted) return;
    this.#fenceLost =
      cause instanceof WriterRightLost
        ? cause
        : new WriterRightLost('The connection to Postgres that holds the log was lost.', { cause });
    this.#writer.failWaitingRequests(this.#fenceLost);
    this.#options.onFenceLost?.(this.#fenceLost);
  }
}

/**
 * Returns the message of an error. If a host name has several addresses and all connections are refused, Node throws an AggregateError
 * without a message.
 */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
