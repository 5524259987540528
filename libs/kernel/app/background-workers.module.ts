import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common';
import { createLogger, type Settings } from '#libs/kernel/system';
import type { BackgroundWorker } from './background-worker.js';

const WORKERS = Symbol('background workers');
const LOG_LEVEL = Symbol('log level');

/** Runs the background workers of a process, from the start of the process until shortly before it closes its connections. */
@Module({})
export class BackgroundWorkersModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<unknown> | undefined;

  constructor(
    @Inject(WORKERS) private readonly workers: readonly BackgroundWorker[],
    @Inject(LOG_LEVEL) private readonly logLevel: Settings['logLevel'],
  ) {}

  /** @param modules the modules that export the workers */
  static forRoot(
    settings: Settings,
    modules: readonly (Type | DynamicModule)[],
    workers: readonly Type<BackgroundWorker>[],
  ): DynamicModule {
    return {
      module: BackgroundWorkersModule,
      imports: [...modules],
      providers: [
        { provide: LOG_LEVEL, useValue: settings.logLevel },
        { provide: WORKERS, useFactory: (...all: BackgroundWorker[]) => all, inject: [...workers] },
      ],
    };
  }

  onApplicationBootstrap(): void {
    const { signal } = this.abort;
    this.running = Promise.all(
      this.workers.map((worker) => worker.run(signal, createLogger(worker.name, this.logLevel))),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
