import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { requireSecrets, requireSetting, type Settings } from '#libs/kernel/system';
import { DocumentsModule } from '#libs/outputs/documents';
import { EventStoreModule } from '#libs/kernel/event-store';
import { IdempotentRequests } from '#libs/kernel/idempotency';
import { IdentityModule } from '#libs/contexts/identity';
import { PostgresModule } from '#libs/kernel/postgres';
import { ReadModelsModule } from '#libs/kernel/projection';
import { WorkspacesModule } from '#libs/kernel/workspaces';
import { contexts, vocabulary } from '#libs/manifest';
import { ReadModelAdaptersModule } from '#projections';
import { HttpAuthModule } from './http/auth/index.js';
import { apiFolders } from './http/define-api.js';
import { CommandContextInterceptor } from './http/command-context.js';
import { QueryParameterGuard } from './http/query-parameter-guard.js';
import { UnexpectedBodyGuard } from './http/unexpected-body-guard.js';
import { HeldActionInterceptor } from './http/held-action.interceptor.js';
import { IdempotencyInterceptor } from './http/idempotency.interceptor.js';
import { ReadYourWritesInterceptor } from './http/read-your-writes.js';
import { SettingsModule } from '#libs/kernel/app';
import { TimeLimitInterceptor } from './http/time-limit.js';
import { registerWebhookOperations } from './webhooks/register-webhook-operations.js';
import { UsageIntakeModule } from './usage/usage-intake.module.js';

/**
 * The HTTP application. Each folder of `apps/api` declares its part of the application in `<folder>/<folder>.api.ts`. The interceptors run
 * around every request handler, in the order in which `providers` lists them.
 */
@Module({})
export class ApiModule {
  static forRoot(settings: Settings): DynamicModule {
    registerWebhookOperations();
    return {
      module: ApiModule,
      imports: [
        SettingsModule.forRoot(settings),
        PostgresModule.forRoot(settings, 'countinghouse api'),
        EventStoreModule.forRoot(settings, vocabulary()),
        WorkspacesModule,
        ReadModelsModule,
        CqrsModule.forRoot(),
        DocumentsModule,
        IdentityModule.forRoot(settings),
        ReadModelAdaptersModule,
        ...contexts().flatMap(({ answers }) => answers),
        HttpAuthModule,
        ...apiFolders().map(({ module }) => module),
        ...(settings.natsUsage ? [UsageIntakeModule.forRoot(settings)] : []),
      ],
      providers: [
        {
          provide: IdempotentRequests,
          useFactory: () =>
            new IdempotentRequests(requireSetting(settings, 'databaseUrl'), requireSecrets(settings)),
        },
        { provide: APP_GUARD, useClass: QueryParameterGuard },
        { provide: APP_GUARD, useClass: UnexpectedBodyGuard },
        { provide: APP_INTERCEPTOR, useClass: TimeLimitInterceptor },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        { provide: APP_INTERCEPTOR, useClass: HeldActionInterceptor },
        { provide: APP_INTERCEPTOR, useClass: CommandContextInterceptor },
        { provide: APP_INTERCEPTOR, useClass: ReadYourWritesInterceptor },
      ],
    };
  }
}
