import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { createLogger, type Settings } from '#libs/kernel/system';
import { AggregateStore } from '#libs/kernel/event-store';
import { targetPolicyProvider } from '#libs/kernel/outbound';
import { CustomersModule } from '#libs/contexts/customers';
import { ApiKeyUseRecorder } from './api-keys/api-key-use-recorder.js';
import { ApiKeyAuthenticator } from './api-keys/api-key-authenticator.js';
import { Authenticator } from './authenticator.js';
import { CreateApiKeyHandler } from './commands/create-api-key.js';
import { CreateLiveWorkspaceHandler } from './commands/create-live-workspace.js';
import { CreatePortalSessionHandler } from './commands/create-portal-session.js';
import { RefreshSessionHandler } from './commands/refresh-session.js';
import { RegisterUserHandler } from './commands/register-user.js';
import { RevokeApiKeyHandler } from './commands/revoke-api-key.js';
import { RotateApiKeyHandler } from './commands/rotate-api-key.js';
import { RevokePortalSessionsHandler } from './commands/revoke-portal-sessions.js';
import { SignInHandler } from './commands/sign-in.js';
import { SignOutHandler } from './commands/sign-out.js';
import {
  ChangeSsoConnectionHandler,
  CreateSsoConnectionHandler,
  DeleteSsoConnectionHandler,
} from './commands/change-sso-connection.js';
import { CompleteSsoHandler } from './commands/complete-sso.js';
import { StartSsoHandler } from './commands/start-sso.js';
import { VerifySsoDomainHandler } from './commands/verify-sso-domain.js';
import { AcceptInvitationHandler } from './invitations/accept-invitation.js';
import { InvitationFinder } from './invitations/invitation-finder.js';
import { InviteUserHandler } from './invitations/invite-user.js';
import { ResendInvitationHandler } from './invitations/resend-invitation.js';
import { RevokeInvitationHandler } from './invitations/revoke-invitation.js';
import { LinkRequestCipher } from './links/link-request-cipher.js';
import { LinkQueries } from './links/link-queries.js';
import { RequestLinkHandler } from './links/request-link.js';
import { ResetPasswordHandler } from './links/reset-password.js';
import { SignInByLinkHandler } from './links/sign-in-by-link.js';
import { RevokeSessionsHandler } from './sessions/revoke-sessions.js';
import { ChangeUserHandler } from './users/change-user.js';
import { AddressReleaser } from './users/address-releaser.js';
import { ProvedAddresses } from './users/proved-addresses.js';
import { FirstProofs } from './users/first-proofs.js';
import { Registrations } from './users/registrations.js';
import { WorkspaceKeyRevoker } from './users/workspace-key-revoker.js';
import { UserQueries } from './users/user-queries.js';
import { Invitation } from './entities/invitation.entity.js';
import { ApiKey } from './entities/api-key.entity.js';
import { OutboxEntry } from './entities/outbox-entry.entity.js';
import { PortalSession } from './entities/portal-session.entity.js';
import { RefreshToken } from './entities/refresh-token.entity.js';
import { RegistrationKey } from './entities/registration-key.entity.js';
import { Session } from './entities/session.entity.js';
import { SsoConnection } from './entities/sso-connection.entity.js';
import { SsoDomain } from './entities/sso-domain.entity.js';
import { SsoSignIn } from './entities/sso-sign-in.entity.js';
import { SsoUser } from './entities/sso-user.entity.js';
import { User } from './entities/user.entity.js';
import { CommandOutbox } from './command-outbox.js';
import { Passwords } from './passwords/passwords.js';
import { ClosedPortalsModule } from './portal-sessions/closed-portals.module.js';
import { PortalSessionAuthenticator } from './portal-sessions/portal-session-authenticator.js';
import { IdentityQueries } from './queries.js';
import { RegistrationKeys } from './registration-keys.js';
import { AccessTokens } from './sessions/access-tokens.js';
import { Sessions } from './sessions/sessions.js';
import { DomainProofChecker } from './sso/domain-proof-checker.js';
import { IdentityProviders } from './sso/identity-providers.js';
import { SsoConnections } from './sso/sso-connections.js';
import { SsoSignIns } from './sso/sso-sign-ins.js';
import { WorkspaceNamesModule } from './workspace-names.module.js';
import { WorkspaceUserFinder } from './workspace-user-finder.js';

/** Users, their sessions, API keys, and the portal sessions of customers. The module is global, because every request is authenticated. */
@Module({})
export class IdentityModule {
  static forRoot(settings: Settings): DynamicModule {
    const logger = createLogger('identity', settings.logLevel);
    return {
      module: IdentityModule,
      global: true,
      imports: [
        CqrsModule,
        CustomersModule,
        WorkspaceNamesModule,
        ClosedPortalsModule,
        TypeOrmModule.forFeature([
          User,
          Session,
          RefreshToken,
          RegistrationKey,
          ApiKey,
          PortalSession,
          OutboxEntry,
          Invitation,
          SsoConnection,
          SsoDomain,
          SsoSignIn,
          SsoUser,
        ]),
      ],
      providers: [
        WorkspaceUserFinder,
        {
          provide: CommandOutbox,
          useFactory: (dataSource: DataSource, aggregates: AggregateStore) =>
            new CommandOutbox(dataSource, aggregates, logger),
          inject: [DataSource, AggregateStore],
        },
        {
          provide: ApiKeyUseRecorder,
          useFactory: (dataSource: DataSource) => new ApiKeyUseRecorder(dataSource, logger),
          inject: [DataSource],
        },
        targetPolicyProvider,
        {
          provide: DomainProofChecker,
          useFactory: () => new DomainProofChecker(settings.ssoDnsServers ?? []),
        },
        IdentityProviders,
        SsoConnections,
        SsoSignIns,
        RegistrationKeys,
        Passwords,
        Sessions,
        AccessTokens,
        ApiKeyAuthenticator,
        PortalSessionAuthenticator,
        Authenticator,
        IdentityQueries,
        RegisterUserHandler,
        SignInHandler,
        RefreshSessionHandler,
        SignOutHandler,
        CreateSsoConnectionHandler,
        ChangeSsoConnectionHandler,
        DeleteSsoConnectionHandler,
        VerifySsoDomainHandler,
        StartSsoHandler,
        CompleteSsoHandler,
        CreateApiKeyHandler,
        RevokeApiKeyHandler,
        RotateApiKeyHandler,
        CreateLiveWorkspaceHandler,
        CreatePortalSessionHandler,
        RevokePortalSessionsHandler,
        ChangeUserHandler,
        RevokeSessionsHandler,
        InviteUserHandler,
        ResendInvitationHandler,
        RevokeInvitationHandler,
        AcceptInvitationHandler,
        InvitationFinder,
        LinkRequestCipher,
        LinkQueries,
        RequestLinkHandler,
        SignInByLinkHandler,
        ResetPasswordHandler,
        UserQueries,
        WorkspaceKeyRevoker,
        AddressReleaser,
        FirstProofs,
        Registrations,
        ProvedAddresses,
      ],
      exports: [
        Authenticator,
        IdentityQueries,
        InvitationFinder,
        LinkQueries,
        UserQueries,
        SsoConnections,
        ProvedAddresses,
      ],
    };
  }
}
