import type { OnApplicationShutdown } from '@nestjs/common';
import { Unavailable } from '#libs/kernel/core';
import { AdvisoryLocks, LockBusy } from '#libs/kernel/postgres';

/** The number of workspaces of which one process accrues or closes months at a time. All accruals of a workspace share a connection. */
const CONNECTIONS = 8;
/** The largest number of these connections for one workspace. Accruals that come later use another one. */
const CONNECTIONS_PER_WORKSPACE = 4;
/** The maximum wait for the lock. The saga repeats an accrual that has waited in vain. */
const WAIT_MILLIS = 10_000;

/**
 * Keeps the accruals of the saga and the closing of a month apart, across processes. An accrual first checks whether its month is closed,
 * then measures, and then appends. Without the lock, the month could be closed in between.
 */
export class MonthLock implements OnApplicationShutdown {
  private readonly locks: AdvisoryLocks;

  constructor(databaseUrl: string, waitMillis = WAIT_MILLIS) {
    this.locks = new AdvisoryLocks(databaseUrl, {
      connections: CONNECTIONS,
      connectionsPerParty: CONNECTIONS_PER_WORKSPACE,
      waitMillis,
      applicationName: 'countinghouse revenue months',
    });
  }

  /**
   * Runs an accrual together with other accruals, and not during a closing. Throws Unavailable (`month_being_closed`) if a month of the
   * workspace is being closed, or (`too_many_at_work`) if no connection is free in time.
   */
  async runAccrual<T>(workspaceId: string, accrue: () => Promise<T>): Promise<T> {
    return withRefusal('A month of this workspace is being closed; the accrual is tried again', () =>
      this.locks.runShared(nameOf(workspaceId), accrue, workspaceId),
    );
  }

  /**
   * Runs the closing of a month. No accrual and no other closing of its workspace runs at the same time. Throws Unavailable
   * (`month_being_closed`) if another closing or an accrual takes too long, or (`too_many_at_work`) if no connection is free in time.
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
