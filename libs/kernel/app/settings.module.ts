import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from '#libs/kernel/system';

/** Injects the process's {@link Settings}. */
export const SETTINGS = Symbol('settings');

/** Provides the settings of the process to all its modules. */
@Global()
@Module({})
export class SettingsModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: SETTINGS, useValue: settings }],
      exports: [SETTINGS],
    };
  }
}
