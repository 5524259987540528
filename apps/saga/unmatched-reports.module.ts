import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { createLogger, type Logger, type Settings } from '#libs/kernel/system';
import { UnmatchedReporter, UnmatchedUsageModule } from '#libs/contexts/unmatched-usage';

const LOGGER = Symbol('logger of unmatched reports');

/** Tells workspaces of usage that is not counted, beside the process managers. */
@Module({})
export class UnmatchedReportsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly reporter: UnmatchedReporter,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  static forRoot(settings: Settings): DynamicModule {
    return {
      module: UnmatchedReportsModule,
      imports: [UnmatchedUsageModule],
      providers: [{ provide: LOGGER, useValue: createLogger('unmatched-usage', settings.logLevel) }],
    };
  }

  onApplicationBootstrap(): void {
    this.running = this.reporter.run(this.abort.signal, this.logger);
  }

  /** Before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
