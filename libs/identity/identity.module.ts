import { Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from '#libs/core';

/** Users, their sessions, and API keys. */
@Module({})
export class IdentityModule {
  static forRoot(_settings: Settings): DynamicModule {
    return { module: IdentityModule };
  }
}
