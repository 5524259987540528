import { Injectable } from '@nestjs/common';
import { API_KEY_PREFIX } from './api-keys/api-key-format.js';
import { ApiKeys } from './api-keys/api-keys.js';
import type { Principal } from './principal.js';
import { AccessTokens } from './sessions/access-tokens.js';

/** Checks API keys and access tokens. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly accessTokens: AccessTokens,
  ) {}

  /** Returns the principal of an API key or access token. Undefined if the credential is not valid. */
  async check(credential: string): Promise<Principal | undefined> {
    return credential.startsWith(API_KEY_PREFIX)
      ? this.apiKeys.check(credential)
      : this.accessTokens.check(credential);
  }

  /** Like {@link check}, but looks only in memory. Undefined if the credential is not there. */
  principalInMemory(credential: string): Principal | undefined {
    return credential.startsWith(API_KEY_PREFIX) ? this.apiKeys.principalInMemory(credential) : undefined;
  }
}
