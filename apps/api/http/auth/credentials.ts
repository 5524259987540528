import type { IncomingHttpHeaders } from 'node:http';
import { Unauthenticated } from '#libs/kernel/core';

/** The credential of a request, not yet checked. */
export interface Credential {
  value: string;
  /** True if the credential came as `x-api-key`, so it must be an API key. */
  mustBeApiKey: boolean;
}

/** Matches the scheme `Bearer` in any case, one or more spaces (RFC 9110 section 11.1), and a token without spaces (RFC 6750). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Reads the credential of a request: `Authorization: Bearer <API key or access token>` or `x-api-key: <API key>`. A request with both
 * headers is accepted only if both have the same credential. Returns `undefined` if the request has no credential. Throws Unauthenticated
 * if a header is malformed.
 */
export function credentialOf(headers: IncomingHttpHeaders): Credential | undefined {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined)
    throw new Unauthenticated(
      'invalid_credential',
      'Send Authorization as "Bearer <API key or access token>"',
    );
  if (apiKey === undefined) return bearer === undefined ? undefined : { value: bearer, mustBeApiKey: false };
  if (typeof apiKey !== 'string' || (bearer !== undefined && bearer !== apiKey))
    throw new Unauthenticated('invalid_credential', 'Send one credential, in Authorization or in x-api-key');
  return { value: apiKey, mustBeApiKey: true };
}
