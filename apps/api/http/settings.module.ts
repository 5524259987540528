import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from '#libs/kernel/system';
import { SETTINGS } from './settings.token.js';

/** The process's settings, injected by the token SETTINGS. */
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
