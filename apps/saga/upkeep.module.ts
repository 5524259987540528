import { Module, type DynamicModule } from '@nestjs/common';
import { Pool } from 'pg';
import type { Settings } from '#libs/kernel/system';
import { pruneAnswers } from '#libs/kernel/idempotency';
import { pruneTasks } from '#libs/kernel/saga';
import { Upkeep } from '#libs/kernel/upkeep';
import { backgroundWork } from '#libs/manifest';

/** Deletes rows whose retention has passed, in the tables of the kernel and of the contexts. */
@Module({})
export class UpkeepModule {
  static forRoot(settings: Settings): DynamicModule {
    const ofContexts = backgroundWork()
      .flatMap(({ retentions }) => retentions)
      .map((retention) => ({ ...retention, days: retention.days(settings) }));
    const retentions = [
      { table: 'idempotency.answers', days: settings.idempotencyRetentionDays, prune: pruneAnswers },
      { table: 'saga.tasks', days: settings.taskRetentionDays, prune: pruneTasks },
      ...ofContexts,
    ];
    return {
      module: UpkeepModule,
      providers: [
        { provide: Upkeep, useFactory: (pool: Pool) => new Upkeep(retentions, pool), inject: [Pool] },
      ],
      exports: [Upkeep],
    };
  }
}
