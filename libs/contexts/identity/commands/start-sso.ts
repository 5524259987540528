import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InvalidRequest, NotFound } from '#libs/kernel/core';
import type { SsoConnection } from '../entities/sso-connection.entity.js';
import { IdentityProviders } from '../sso/identity-providers.js';
import { SsoConnections } from '../sso/sso-connections.js';
import { SsoSignIns } from '../sso/sso-sign-ins.js';

/** The result of the start of a sign-in: the provider's URL for the sign-in, and the `state` that the provider sends back. */
export interface SsoStart {
  readonly authorizationUrl: string;
  readonly state: string;
}

/**
 * Selects the connection for the sign-in: by its id, or by an e-mail address in one of its domains. The identity provider gets the user's
 * e-mail address as a hint.
 */
export interface SsoConnectionChoice {
  readonly connectionId?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Starts a single sign-on. Throws NotFound if no connection has this id, or if no connection has verified the domain of the address. Throws
 * InvalidRequest if the connection does not allow the redirect URI, or if neither an id nor an address is given. Throws Forbidden
 * (`sso_secret_unreadable`) if the client secret cannot be read. Throws Conflict (`sso_provider_unusable`) if the provider's metadata
 * cannot be used. Throws Unavailable if the identity provider does not answer.
 */
export class StartSso extends Command<SsoStart> {
  constructor(
    readonly choice: SsoConnectionChoice,
    readonly redirectUri: string,
  ) {
    super();
  }
}

@CommandHandler(StartSso)
export class StartSsoHandler implements ICommandHandler<StartSso> {
  constructor(
    private readonly connections: SsoConnections,
    private readonly providers: IdentityProviders,
    private readonly signIns: SsoSignIns,
  ) {}

  async execute({ choice, redirectUri }: StartSso): Promise<SsoStart> {
    const { email, connectionId } = choice;
    const connection = await this.connectionOf(choice);
    if (!connection)
      throw new NotFound(
        'sso_connection_not_found',
        connectionId === undefined
          ? 'No connection for single sign-on has a verified domain of this address'
          : 'There is no such connection for single sign-on',
      );
    if (!connection.redirectUris.includes(redirectUri))
      throw InvalidRequest.field(
        'redirectUri',
        'is not among the redirect URIs of the connection; an administrator adds it at PATCH /v1/sso-connections/{id}',
      );
    const secrets = this.providers.generateSignInSecrets();
    const authorizationUrl = await this.providers.authorizationUrl(
      connection,
      this.connections.decryptSecret(connection),
      secrets,
      { redirectUri, email },
    );
    await this.signIns.store({ connectionId: connection.id, redirectUri, secrets });
    return { authorizationUrl, state: secrets.state };
  }

  private async connectionOf({
    email,
    connectionId,
  }: SsoConnectionChoice): Promise<SsoConnection | undefined> {
    if (connectionId !== undefined) return this.connections.find({ id: connectionId });
    if (email === undefined) throw InvalidRequest.field('email', 'must be given, or connectionId instead');
    return this.connections.findByEmail(email);
  }
}
