import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BillingModule, ThresholdTriggers } from '#libs/contexts/billing';
import { createLogger, type Logger, type Settings } from '#libs/kernel/system';

const LOGGER = Symbol('logger of threshold triggers');

/** Looks at subscriptions whose usage has moved towards a threshold, beside the process managers. */
@Module({})
export class ThresholdTriggersModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly triggers: ThresholdTriggers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  static forRoot(settings: Settings): DynamicModule {
    return {
      module: ThresholdTriggersModule,
      imports: [BillingModule],
      providers: [{ provide: LOGGER, useValue: createLogger('thresholds', settings.logLevel) }],
    };
  }

  onApplicationBootstrap(): void {
    this.running = this.triggers.run(this.abort.signal, this.logger);
  }

  /** Before the connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
