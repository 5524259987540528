import type { OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Unavailable } from '#libs/kernel/core';
import { KeyedConcurrencyLimits } from '#libs/kernel/system';
import { SharedLockGroup } from './shared-lock-group.js';

/** The statements that take and free a lock. */
interface LockMode {
  readonly lock: string;
  readonly unlock: string;
}

const EXCLUSIVE: LockMode = {
  lock: 'SELECT pg_advisory_lock(hashtextextended($1, 0))',
  unlock: 'SELECT pg_advisory_unlock(hashtextextended($1, 0))',
};
const SHARED: LockMode = {
  lock: 'SELECT pg_advisory_lock_shared(hashtextextended($1, 0))',
  unlock: 'SELECT pg_advisory_unlock_shared(hashtextextended($1, 0))',
};
const LOCK_NOT_AVAILABLE = '55P03';
const CONNECTION_MILLIS = 10_000;
/**
 * A connection sends no data while its lock is held. After this time without data, Postgres checks by TCP keepalive whether the machine of
 * this process still answers. If it does not answer, Postgres releases the lock.
 */
const KEEPALIVE_SECONDS = 30;

/** Another caller held the lock for the whole waiting time. */
export class LockBusy extends Error {}

/** The settings of a set of {@link AdvisoryLocks}. */
export interface AdvisoryLocksOptions {
  /**
   * The largest number of locks that are held at a time, each by one connection. When all lock connections are in use, a further caller
   * waits for a connection.
   */
  maxConnections: number;
  /** The largest number of connections for one party, such as a workspace, so that other parties also get connections. Default: all. */
  connectionsPerParty?: number;
  /** The maximum wait for a lock, in milliseconds, whether this process or another one holds the lock. */
  lockWaitMillis: number;
  /** The maximum wait for a connection, in milliseconds. Default: ten seconds. */
  connectionMillis?: number;
  /** The name that pg_stat_activity shows. */
  applicationName: string;
}

/**
 * Locks by name, across processes. The locks use separate connections, for two reasons. A crash of the process closes these connections,
 * which frees the locks. Work under a lock runs its queries on the process's other pools, so callers that wait for a lock must not use up
 * those pools. A caller of {@link runLocked} that waits for another caller in this process holds no connection.
 */
export class AdvisoryLocks implements OnApplicationShutdown {
  private readonly connections: pg.Pool;
  private readonly names: KeyedConcurrencyLimits;
  private readonly parties: KeyedConcurrencyLimits;
  private readonly groups = new Map<string, SharedLockGroup>();

  constructor(databaseUrl: string, options: AdvisoryLocksOptions) {
    const {
      maxConnections: connections,
      lockWaitMillis: waitMillis,
      connectionMillis = CONNECTION_MILLIS,
    } = options;
    this.names = new KeyedConcurrencyLimits({
      maxRunning: 1,
      waitMillis,
      createRefusal: () => new LockBusy('The lock is held by another in this process'),
    });
    this.parties = new KeyedConcurrencyLimits({
      maxRunning: options.connectionsPerParty ?? connections,
      waitMillis: connectionMillis,
      createRefusal: tooManyAtWork,
    });
    this.connections = new pg.Pool({
      connectionString: databaseUrl,
      max: connections,
      connectionTimeoutMillis: connectionMillis,
      application_name: options.applicationName,
      options: `-c lock_timeout=${waitMillis} -c tcp_keepalives_idle=${KEEPALIVE_SECONDS}`,
      keepAlive: true,
    });
    this.connections.on('error', () => undefined);
    // An error may also come while a lock is held. The connection's next query then fails with it.
    this.connections.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Runs `work` under the lock, with the connection that holds it. Throws {@link LockBusy} if the lock is not free in time. Throws
   * Unavailable (`too_many_at_work`) if no connection is free in time.
   *
   * @param party the workspace or other party that needs the lock; `connectionsPerParty` limits its connections
   */
  async runLocked<T>(
    name: string,
    work: (connection: pg.PoolClient) => Promise<T>,
    party: string = name,
  ): Promise<T> {
    return this.names.run(name, () => this.parties.run(party, () => this.holdNow(EXCLUSIVE, name, work)));
  }

  /**
   * Runs `work` together with other callers of this method, and never while a caller of {@link runLocked} has the lock. A waiting caller of
   * {@link runLocked} gets the lock before callers of `runShared` that arrive more than half a second later. For half a second, further
   * callers of `runShared` in the same process join the callers that hold the lock. Throws the errors of {@link runLocked}.
   */
  async runShared<T>(name: string, work: () => Promise<T>, party: string = name): Promise<T> {
    let group = this.groups.get(name);
    if (!group?.isOpen()) {
      group = new SharedLockGroup((held) => this.parties.run(party, () => this.holdNow(SHARED, name, held)));
      this.groups.set(name, group);
    }
    try {
      return await group.run(work);
    } finally {
      if (group.hasEnded() && this.groups.get(name) === group) this.groups.delete(name);
    }
  }

  private async holdNow<T>(
    mode: LockMode,
    name: string,
    work: (connection: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    const connection = await this.connect();
    let broken = true;
    try {
      await lock(connection, mode, name);
      const result = await work(connection);
      await connection.query(mode.unlock, [name]);
      broken = false;
      return result;
    } finally {
      // A connection that still holds its lock is closed, which frees it.
      connection.release(broken);
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    try {
      return await this.connections.connect();
    } catch (error) {
      const { totalCount, idleCount, options } = this.connections;
      throw totalCount - idleCount >= options.max ? tooManyAtWork() : error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connections.end();
  }
}

function tooManyAtWork(): Unavailable {
  return new Unavailable(
    'too_many_at_work',
    'Too many requests that take long are being worked on; try again shortly',
  );
}

async function lock(connection: pg.PoolClient, mode: LockMode, name: string): Promise<void> {
  try {
    await connection.query(mode.lock, [name]);
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new LockBusy(`The lock "${name}" is held by another`, { cause: error });
  }
}
