import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from '#libs/kernel/system';

/** Injects the process's {@link Settings}. */
export const SETTINGS = Symbol('settings');

/** The settings of the process, for whatever is in it. */
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
