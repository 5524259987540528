import {
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Settings } from '#libs/kernel/system';
import { BackgroundWorkersModule } from '#libs/kernel/app';
import { LogHead, meterLag, MeterStore, MeterWorker } from '#libs/usage';

@Module({ providers: [LogHead, MeterStore, MeterWorker], exports: [MeterStore, MeterWorker] })
class MeterWorkerModule {}

/** Keeps the usage meters current. The read models are kept current by another module, `ProjectorModule`. */
@Module({ imports: [MeterWorkerModule] })
export class MetersModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stopObserving: (() => void) | undefined;

  constructor(private readonly meters: MeterStore) {}

  static forRoot(settings: Settings): DynamicModule {
    return {
      module: MetersModule,
      imports: [BackgroundWorkersModule.forRoot(settings, [MeterWorkerModule], [MeterWorker])],
    };
  }

  onApplicationBootstrap(): void {
    this.stopObserving = meterLag.addReader(async () => [
      { labels: {}, values: await this.meters.readLag() },
    ]);
  }

  beforeApplicationShutdown(): void {
    this.stopObserving?.();
  }
}
