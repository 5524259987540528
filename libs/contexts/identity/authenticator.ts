import { Injectable } from '@nestjs/common';
import { API_KEY_PREFIX } from './api-keys/api-key-format.js';
import { ApiKeyAuthenticator } from './api-keys/api-key-authenticator.js';
import { PORTAL_TOKEN_PREFIX } from './portal-sessions/portal-token-format.js';
import { PortalSessionAuthenticator } from './portal-sessions/portal-session-authenticator.js';
import type { Caller, Principal } from './principal.js';
import { AccessTokens } from './sessions/access-tokens.js';

/** Checks API keys, access tokens and portal tokens. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly accessTokens: AccessTokens,
    private readonly portalSessions: PortalSessionAuthenticator,
  ) {}

  /** Returns the principal of an API key, access token or portal token. Returns undefined if the credential is not valid. */
  async check(credential: string): Promise<Caller | undefined> {
    if (credential.startsWith(API_KEY_PREFIX)) return this.apiKeys.authenticate(credential);
    if (credential.startsWith(PORTAL_TOKEN_PREFIX)) return this.portalSessions.authenticate(credential);
    return this.accessTokens.authenticate(credential);
  }

  /** Returns the principal of a credential that is in memory, without a query. Returns undefined if the credential is not in memory. */
  principalInMemory(credential: string): Principal | undefined {
    return credential.startsWith(API_KEY_PREFIX) ? this.apiKeys.principalInMemory(credential) : undefined;
  }
}
