import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { BillingModule, ThresholdTaskScheduler } from '#libs/contexts/billing';
import { CollectionModule } from '#libs/contexts/collection';
import { CreditsModule, DrawDownRecorder, RefusalRecorder } from '#libs/contexts/credits';
import { LimitReporter, UsageLimitsModule } from '#libs/contexts/usage-limits';
import { requireSetting, type Settings } from '#libs/kernel/system';
import { EventFeed } from '#libs/kernel/event-store';
import { AdvisoryLocks, NotificationListener } from '#libs/kernel/postgres';
import { SandboxClockMover } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { SETTINGS } from '#libs/kernel/app';
import { SandboxClockController } from './sandbox-clock.controller.js';
import { SandboxPaymentsController } from './sandbox-payments.controller.js';

/** The number of sandbox clocks that one process moves at the same time. */
const MOVING_CLOCKS = 16;
const WAIT_MILLIS = 5 * 60_000;

@Module({
  imports: [BillingModule, CollectionModule, CreditsModule, UsageLimitsModule],
  controllers: [SandboxClockController, SandboxPaymentsController],
  providers: [
    {
      provide: AdvisoryLocks,
      useFactory: (settings: Settings) =>
        new AdvisoryLocks(requireSetting(settings, 'databaseUrl'), {
          maxConnections: MOVING_CLOCKS,
          lockWaitMillis: WAIT_MILLIS,
          applicationName: 'countinghouse sandbox clocks',
        }),
      inject: [SETTINGS],
    },
    {
      provide: SandboxClockMover,
      useFactory: (
        pool: Pool,
        clock: WorkspaceClock,
        feed: EventFeed,
        listener: NotificationListener,
        locks: AdvisoryLocks,
        triggers: ThresholdTaskScheduler,
        draws: DrawDownRecorder,
        refusals: RefusalRecorder,
        limits: LimitReporter,
      ) =>
        new SandboxClockMover(pool, clock, feed, listener, locks, {
          storePendingWork: async (workspaceId) => {
            await draws.recordAll(workspaceId);
            await refusals.recordAll(workspaceId);
            await limits.reportAll(workspaceId);
            await triggers.storeAllTasks(workspaceId);
          },
        }),
      inject: [
        Pool,
        WorkspaceClock,
        EventFeed,
        NotificationListener,
        AdvisoryLocks,
        ThresholdTaskScheduler,
        DrawDownRecorder,
        RefusalRecorder,
        LimitReporter,
      ],
    },
  ],
})
export class SandboxApiModule {}
