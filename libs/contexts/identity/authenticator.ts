import { Injectable } from '@nestjs/common';
import { API_KEY_PREFIX } from './api-keys/api-key-format.js';
import { ApiKeys } from './api-keys/api-keys.js';
import type { Principal } from './principal.js';
import { AccessTokens } from './sessions/access-tokens.js';

/** Checks credentials of either kind. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly accessTokens: AccessTokens,
  ) {}

  /** Whom an API key or access token speaks for; undefined if it is not valid. */
  async check(credential: string): Promise<Principal | undefined> {
    return credential.startsWith(API_KEY_PREFIX)
      ? this.apiKeys.check(credential)
      : this.accessTokens.check(credential);
  }

  /** As {@link check}, where the answer is in memory; undefined if it is not. */
  remembered(credential: string): Principal | undefined {
    return credential.startsWith(API_KEY_PREFIX) ? this.apiKeys.remembered(credential) : undefined;
  }
}
