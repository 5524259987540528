import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Pool } from 'pg';
import { createLogger, type Settings } from '#libs/kernel/system';
import { pruneAnswers } from '#libs/kernel/idempotency';
import { pruneTasks } from '#libs/kernel/saga';
import { Upkeep, type Retention } from '#libs/kernel/upkeep';
import { pruneDeliveries } from '#libs/outputs/webhooks';

/** Removes what is not kept for ever, beside the process managers. */
@Module({})
export class UpkeepModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;

  constructor(@Inject(Upkeep) private readonly upkeep: Upkeep) {}

  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('upkeep', settings.logLevel);
    const retentions: Retention[] = [
      { table: 'idempotency.answers', days: settings.idempotencyRetentionDays, prune: pruneAnswers },
      { table: 'saga.tasks', days: settings.taskRetentionDays, prune: pruneTasks },
      { table: 'webhooks.deliveries', days: settings.webhookRetentionDays, prune: pruneDeliveries },
    ];
    return {
      module: UpkeepModule,
      providers: [
        { provide: Upkeep, useFactory: (pool: Pool) => new Upkeep(retentions, pool, logger), inject: [Pool] },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.running = this.upkeep.run(this.abort.signal);
  }

  /** Before the pool closes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
