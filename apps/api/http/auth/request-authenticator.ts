import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Unauthenticated } from '#libs/kernel/core';
import { Authenticator, type Caller } from '#libs/contexts/identity';
import { credentialOf, type Credential } from './credentials.js';

/** Finds the principal (the caller) that sent a request. */
@Injectable()
export class RequestAuthenticator {
  constructor(private readonly authenticator: Authenticator) {}

  /**
   * Returns the principal that the credential of the request belongs to. A cached principal is returned without a promise, so that requests
   * with usage do not wait. Throws Unauthenticated (401) if the credential is missing, malformed, unknown, expired or revoked.
   */
  requireCaller(headers: IncomingHttpHeaders): Caller | Promise<Caller> {
    const credential = credentialOf(headers);
    if (!credential)
      throw new Unauthenticated(
        'missing_credential',
        'Send an API key or access token as "Authorization: Bearer <it>", or an API key as x-api-key',
      );
    return this.authenticator.principalInMemory(credential.value) ?? this.check(credential);
  }

  private async check({ value, mustBeApiKey }: Credential): Promise<Caller> {
    const principal = await this.authenticator.check(value);
    if (!principal || (mustBeApiKey && principal.kind !== 'api_key'))
      throw new Unauthenticated(
        'invalid_credential',
        'The API key, access token or portal token is not valid, or no longer',
      );
    return principal;
  }
}
