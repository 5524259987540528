import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { createLogger, type Settings } from '#libs/kernel/system';
import { AggregateStore } from '#libs/kernel/event-store';
import { ApiKeyUsage } from './api-keys/api-key-usage.js';
import { ApiKeys } from './api-keys/api-keys.js';
import { Authenticator } from './authenticator.js';
import { CreateApiKeyHandler } from './commands/create-api-key.js';
import { RefreshSessionHandler } from './commands/refresh-session.js';
import { RegisterUserHandler } from './commands/register-user.js';
import { RevokeApiKeyHandler } from './commands/revoke-api-key.js';
import { RotateApiKeyHandler } from './commands/rotate-api-key.js';
import { SignInHandler } from './commands/sign-in.js';
import { SignOutHandler } from './commands/sign-out.js';
import { ApiKey } from './entities/api-key.entity.js';
import { OutboxEntry } from './entities/outbox-entry.entity.js';
import { RefreshToken } from './entities/refresh-token.entity.js';
import { RegistrationKey } from './entities/registration-key.entity.js';
import { Session } from './entities/session.entity.js';
import { User } from './entities/user.entity.js';
import { EventOutbox } from './event-outbox.js';
import { Passwords } from './passwords/passwords.js';
import { IdentityQueries } from './queries.js';
import { RegistrationKeys } from './registration-keys.js';
import { AccessTokens } from './sessions/access-tokens.js';
import { Sessions } from './sessions/sessions.js';

/** Users, their sessions, and API keys. The module is global, because every request is authenticated. */
@Module({})
export class IdentityModule {
  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('identity', settings.logLevel);
    return {
      module: IdentityModule,
      global: true,
      imports: [
        CqrsModule,
        TypeOrmModule.forFeature([User, Session, RefreshToken, RegistrationKey, ApiKey, OutboxEntry]),
      ],
      providers: [
        {
          provide: EventOutbox,
          useFactory: (dataSource: DataSource, aggregates: AggregateStore) =>
            new EventOutbox(dataSource, aggregates, logger),
          inject: [DataSource, AggregateStore],
        },
        {
          provide: ApiKeyUsage,
          useFactory: (dataSource: DataSource) => new ApiKeyUsage(dataSource, logger),
          inject: [DataSource],
        },
        RegistrationKeys,
        Passwords,
        Sessions,
        AccessTokens,
        ApiKeys,
        Authenticator,
        IdentityQueries,
        RegisterUserHandler,
        SignInHandler,
        RefreshSessionHandler,
        SignOutHandler,
        CreateApiKeyHandler,
        RevokeApiKeyHandler,
        RotateApiKeyHandler,
      ],
      exports: [Authenticator, IdentityQueries],
    };
  }
}
