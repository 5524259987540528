import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Unavailable } from '#libs/kernel/core';
import { AdvisoryLocks, LockBusy } from '#libs/kernel/postgres';
import { SETTINGS } from '#libs/kernel/app';
import { requireSetting, type Settings } from '#libs/kernel/system';

/** The number of accruals that one process makes at a time. */
const CONNECTIONS = 8;
/** Those of one workspace. While a closing takes long, its workspace's accruals wait, and those of other workspaces go on. */
const CONNECTIONS_PER_WORKSPACE = 4;
/** An accrual takes well under a second. A closing of a large workspace takes minutes, and the saga tries again after it. */
const WAIT_MILLIS = 10_000;

/**
 * Keeps the accruals of the saga and the closing of a month apart, across processes. An accrual first looks whether its month is closed,
 * then measures, and then appends. Without the lock, the month could be closed in between.
 */
@Injectable()
export class MonthLock implements OnApplicationShutdown {
  private readonly locks: AdvisoryLocks;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.locks = new AdvisoryLocks(requireSetting(settings, 'databaseUrl'), {
      connections: CONNECTIONS,
      connectionsPerParty: CONNECTIONS_PER_WORKSPACE,
      waitMillis: WAIT_MILLIS,
      applicationName: 'countinghouse revenue months',
    });
  }

  /** Accrues. No month of the workspace is closed meanwhile. Throws Unavailable (`month_being_closed`) while one is being closed. */
  async accruing<T>(workspaceId: string, accrue: () => Promise<T>): Promise<T> {
    return unlessBusy(() => this.locks.runShared(nameOf(workspaceId), accrue, workspaceId));
  }

  /**
   * Closes a month. The saga accrues nothing of the workspace meanwhile. Throws Unavailable (`month_being_closed`) if another request is
   * closing a month, or if an accrual takes too long.
   */
  async closing<T>(workspaceId: string, close: () => Promise<T>): Promise<T> {
    return unlessBusy(() => this.locks.runLocked(nameOf(workspaceId), close, workspaceId));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.locks.onApplicationShutdown();
  }
}

function nameOf(workspaceId: string): string {
  return `revenue months ${workspaceId}`;
}

async function unlessBusy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LockBusy)) throw error;
    throw new Unavailable(
      'month_being_closed',
      'A month of this workspace is being accrued or closed already; try again when that is done',
    );
  }
}
