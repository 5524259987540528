import type { OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';

const LOCK_NOT_AVAILABLE = '55P03';

/** Somebody else held the lock for as long as was waited for it. */
export class LockBusy extends Error {}

/** How a set of {@link AdvisoryLocks} is made. */
export interface AdvisoryLocksOptions {
  /** Locks at a time; whoever comes later waits for one of these connections. */
  connections: number;
  /** How long one lock is waited for. */
  waitMillis: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
}

/**
 * Locks by name, across processes. They belong to connections of their own, for two reasons: a crash frees them, and
 * what is done under a lock needs connections from the common pool to get on, which waiting lockers must not take.
 */
export class AdvisoryLocks implements OnApplicationShutdown {
  private readonly connections: pg.Pool;

  constructor(databaseUrl: string, { connections, waitMillis, applicationName }: AdvisoryLocksOptions) {
    this.connections = new pg.Pool({
      connectionString: databaseUrl,
      max: connections,
      application_name: applicationName,
      options: `-c lock_timeout=${waitMillis}`,
    });
    this.connections.on('error', () => undefined);
    // Heard also while a lock is held: the connection's next query fails with the error.
    this.connections.on('connect', (client) => client.on('error', () => undefined));
  }

  /**
   * Runs `work` under the lock, with the connection that holds it. Throws {@link LockBusy} if the lock could not be had
   * in time.
   */
  async hold<T>(name: string, work: (connection: pg.PoolClient) => Promise<T>): Promise<T> {
    const connection = await this.connections.connect();
    let broken = true;
    try {
      await lock(connection, name);
      const result = await work(connection);
      await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name]);
      broken = false;
      return result;
    } finally {
      // A connection that still holds its lock is closed, which frees it.
      connection.release(broken);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connections.end();
  }
}

async function lock(connection: pg.PoolClient, name: string): Promise<void> {
  try {
    await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new LockBusy(`The lock "${name}" is held by another`, { cause: error });
  }
}
