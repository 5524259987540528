import { asciiDomain, InvalidRequest } from '#libs/kernel/core';
import type { TargetPolicy } from '#libs/kernel/outbound';
import type { SsoConnection } from '../entities/sso-connection.entity.js';
import type { SsoConnectionTerms } from '../events.js';

/** Returns the terms of a connection in their stored form: the domains are in ASCII and lower case, without repetitions. */
export function normaliseTerms(terms: SsoConnectionTerms): SsoConnectionTerms {
  const domains = terms.domains.map((domain, i) => {
    const ascii = asciiDomain(domain);
    if (!/^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(ascii) || ascii.includes(':'))
      throw InvalidRequest.field(
        `domains[${i}]`,
        'must be a domain of e-mail addresses, such as "example.com"',
      );
    return ascii;
  });
  return { ...terms, domains: [...new Set(domains)], redirectUris: [...new Set(terms.redirectUris)] };
}

/**
 * Throws InvalidRequest if the workspace must not send requests to the issuer, or if a redirect URI is not usable. Redirect URIs are https
 * URLs. A program on the user's machine may use http with a loopback address (RFC 8252, section 7.3).
 */
export async function requireUsableTerms(
  targets: TargetPolicy,
  workspaceId: string,
  { issuer, redirectUris }: Pick<SsoConnectionTerms, 'issuer' | 'redirectUris'>,
): Promise<void> {
  await targets.check(workspaceId, issuer, 'issuer');
  for (const [i, uri] of redirectUris.entries()) {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    const isLocal = url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
    if (!url || !(url.protocol === 'https:' || isLocal))
      throw InvalidRequest.field(`redirectUris[${i}]`, 'must be an https:// URL, or http:// with localhost');
    if (
      url.search !== '' ||
      url.hash !== '' ||
      uri.includes('#') ||
      url.username !== '' ||
      url.password !== ''
    )
      throw InvalidRequest.field(`redirectUris[${i}]`, 'must have no query, no fragment and no user name');
  }
}

/** Returns the current terms of a connection. */
export function connectionTermsOf(connection: SsoConnection): SsoConnectionTerms {
  const { name, issuer, clientId, redirectUris, defaultRole, createUsers, required, domains } = connection;
  return {
    name,
    issuer,
    clientId,
    redirectUris,
    defaultRole,
    createUsers,
    required,
    domains: domains.map(({ domain }) => domain).sort(),
  };
}
