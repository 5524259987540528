import type { IncomingHttpHeaders } from 'node:http';
import { Unauthenticated } from '#libs/kernel/core';

/** What came with a request, not yet checked. */
export interface Credential {
  value: string;
  /** It came as `x-api-key`, so it must be an API key. */
  mustBeApiKey: boolean;
}

/** One or more spaces after the scheme, in any case (RFC 9110 section 11.1), then a token without spaces (RFC 6750). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The request's one credential: `Authorization: Bearer <API key or access token>` or `x-api-key: <API key>`. Both are
 * allowed if they are the same; two that differ are refused rather than one of them chosen. `undefined` if there is
 * none. Unauthenticated if a header does not have its form.
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
