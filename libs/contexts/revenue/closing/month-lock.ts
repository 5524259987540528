import type { OnApplicationShutdown } from '@nestjs/common';
import { Unavailable } from '#libs/kernel/core';
import { AdvisoryLocks, LockBusy } from '#libs/kernel/postgres';

/**
 * The maximum number of database connections for the locks of all workspaces in one process. Accruals of a workspace that begin within half
 * a second share one connection.
 */
const CONNECTIONS = 8;
/** The maximum number of database connections for the locks of one workspace. Accruals that begin later use another connection. */
const CONNECTIONS_PER_WORKSPACE = 4;
/** The maximum time to wait for the lock, in milliseconds. The saga repeats an accrual that did not get the lock in time. */
const WAIT_MILLIS = 10_000;

/**
 * Prevents accruals of the saga from running while a month is being closed, across processes. An accrual first checks whether its month is
 * closed, then measures the revenue, and then appends its event. Without the lock, the month could be closed while an accrual is running.
 */
export class MonthLock implements OnApplicationShutdown {
  private readonly locks: AdvisoryLocks;

  constructor(databaseUrl: string, waitMillis = WAIT_MILLIS) {
    this.locks = new AdvisoryLocks(databaseUrl, {
      maxConnections: CONNECTIONS,
      connectionsPerParty: CONNECTIONS_PER_WORKSPACE,
      lockWaitMillis: waitMillis,
      applicationName: 'countinghouse revenue months',
    });
  }

  /**
   * Runs an accrual, possibly together with other accruals, but not while a month is being closed. Throws Unavailable
   * (`month_being_closed`) if the closing of a month holds or awaits the lock for longer than ten seconds. Throws Unavailable
   * (`too_many_at_work`) if no connection is free in time.
   */
  async runAccrual<T>(workspaceId: string, accrue: () => Promise<T>): Promise<T> {
    return withRefusal('A month of this workspace is being closed; the accrual is tried again', () =>
      this.locks.runShared(nameOf(workspaceId), accrue, workspaceId),
    );
  }

  /**
   * Runs the closing of a month. While a month is being closed, no accrual and no other closing of its workspace runs. Throws Unavailable
   * (`month_being_closed`) if another closing or an accrual holds the lock for longer than ten seconds. Throws Unavailable
   * (`too_many_at_work`) if no connection is free in time.
   *
   * @param close gets a function that throws if the lock was lost with its connection
   */
  async runClosing<T>(
    workspaceId: string,
    close: (requireHeld: () => Promise<unknown>) => Promise<T>,
  ): Promise<T> {
    return withRefusal(
      'Another request closes a month of this workspace, or its accruals take long; try again shortly',
      () =>
        this.locks.runLocked(
          nameOf(workspaceId),
          (connection) => close(() => connection.query('SELECT 1')),
          workspaceId,
        ),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.locks.onApplicationShutdown();
  }
}

function nameOf(workspaceId: string): string {
  return `revenue months ${workspaceId}`;
}

async function withRefusal<T>(message: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LockBusy)) throw error;
    throw new Unavailable('month_being_closed', message);
  }
}
