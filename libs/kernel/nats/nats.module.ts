import {
  Global,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { createLogger, requireSetting, type Settings } from '#libs/kernel/system';
import { connectionOptions } from './connection-options.js';
import { NatsClient } from './nats-client.js';

/** Provides the process's connection to NATS. Only processes with a `NATS_URL` use NatsModule. */
@Global()
@Module({})
export class NatsModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly client: NatsClient) {}

  static forRoot(settings: Settings, name: string): DynamicModule {
    const options = connectionOptions(settings, requireSetting(settings, 'natsUrl'), name);
    const logger = createLogger('nats', settings.logLevel);
    return {
      module: NatsModule,
      providers: [{ provide: NatsClient, useFactory: () => new NatsClient(options, logger) }],
      exports: [NatsClient],
    };
  }

  onApplicationBootstrap(): void {
    this.client.start();
  }

  /** Closes the connection after all services that acknowledge or publish messages have stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.client.stop();
  }
}
