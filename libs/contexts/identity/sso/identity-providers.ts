import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import * as client from 'openid-client';
import { Unauthenticated, Unavailable } from '#libs/kernel/core';
import { guardedFetch, TargetPolicy, type TargetRules } from '#libs/kernel/outbound';
import type { SsoConnection } from '../entities/sso-connection.entity.js';

/** The secrets of one sign-in. The provider receives `state`, `nonce` and a hash of `codeVerifier`. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The data that the provider sent about a user. The data of the user has passed all checks of OpenID Connect. */
export interface IdentityProviderUser {
  /** The id of the user at the provider, of at most 255 characters. */
  readonly subject: string;
  readonly email: string | undefined;
  /**
   * False if the provider says that it did not verify the e-mail address. Undefined if the provider does not say whether it verified the
   * e-mail address.
   */
  readonly emailVerified: boolean | undefined;
  readonly name: string | undefined;
}

/**
 * A subject that is accepted. OpenID Connect Core 1.0, section 2, limits it to 255 characters. The database cannot store some control
 * characters.
 */
const USABLE_SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
const TIMEOUT_SECONDS = 8;
const MAX_KNOWN = 1_000;
/**
 * The time after which the metadata and keys of a provider are read again. The OpenID Connect library also reads the keys again when it
 * receives a token with an unknown key.
 */
const KNOWN_MILLIS = 10 * 60_000;

/**
 * Signs users in at the workspaces' OpenID Connect providers, with the authorization code flow and PKCE (RFC 7636). Checks `nonce`, and
 * `iss` where the provider sends it (RFC 9207). A request goes only to addresses that the workspace's webhooks may also use.
 */
@Injectable()
export class IdentityProviders {
  private readonly known = new LRUCache<string, client.Configuration>({ max: MAX_KNOWN, ttl: KNOWN_MILLIS });

  constructor(private readonly targets: TargetPolicy) {}

  /** Generates the secret values of a new sign-in. */
  generateSignInSecrets(): SignInSecrets {
    return {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
  }

  /**
   * Returns the URL at which the user signs in. Throws Unavailable (`identity_provider_unavailable`) if the provider's metadata cannot be
   * read.
   */
  async authorizationUrl(
    connection: SsoConnection,
    clientSecret: string,
    { state, nonce, codeVerifier }: SignInSecrets,
    { redirectUri, email }: { readonly redirectUri: string; readonly email?: string | undefined },
  ): Promise<string> {
    const configuration = await this.configurationOf(connection, clientSecret);
    const url = client.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: redirectUri, scope: 'openid email profile', state, nonce },
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(email === undefined ? {} : { login_hint: email }),
    });
    return url.href;
  }

  /**
   * Exchanges the authorization code of the provider's redirect for the data of the user. Checks issuer, audience, signature, expiry and
   * nonce of the ID token. `iss` is the issuer that the redirect names in its parameter `iss`. If the provider's metadata says that the
   * provider sends `iss`, it must be present and equal to the provider's issuer. Throws Unauthenticated (`sso_failed`) with the reason if a
   * check fails, or if the subject is too long or has control characters. Throws Unavailable if the provider does not answer.
   */
  async exchangeCode(
    connection: SsoConnection,
    clientSecret: string,
    { state, nonce, codeVerifier }: SignInSecrets,
    { redirectUri, code, iss }: { redirectUri: string; code: string; iss?: string | undefined },
  ): Promise<IdentityProviderUser> {
    const configuration = await this.configurationOf(connection, clientSecret);
    const redirect = new URL(redirectUri);
    redirect.search = new URLSearchParams({ code, state, ...(iss === undefined ? {} : { iss }) }).toString();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, redirect, {
        ...{ pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce },
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      requireUsableSubject(claims.sub);
      // Some providers send the address only in the UserInfo response (OpenID Connect Core 1.0, section 5.4). The library compares the
      // subject.
      const more =
        claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {};
      const said: Record<string, unknown> = { ...claims, ...more };
      const { email, email_verified: emailVerified, name } = said;
      return {
        subject: claims.sub,
        email: textOf(email),
        emailVerified: typeof emailVerified === 'boolean' ? emailVerified : undefined,
        name: textOf(name),
      };
    } catch (error) {
      throw exchangeFailure(error, connection);
    }
  }

  private async configurationOf(
    connection: SsoConnection,
    clientSecret: string,
  ): Promise<client.Configuration> {
    const { id, workspaceId, issuer, clientId, updatedAt } = connection;
    const rules = await this.targets.rulesOf(workspaceId);
    const key = `${id} ${updatedAt} ${rules.allowsLoopback}`;
    const known = this.known.get(key);
    if (known) return known;
    try {
      const configuration = await client.discovery(
        new URL(issuer),
        clientId,
        clientSecret,
        client.ClientSecretPost(clientSecret),
        {
          timeout: TIMEOUT_SECONDS,
          // The target rules decide whether http is allowed. They allow it only to this machine, in a sandbox whose operator allows it.
          execute: rules.allowsLoopback ? [client.allowInsecureRequests] : [],
          [client.customFetch]: fetchUnder(rules),
        },
      );
      this.known.set(key, configuration);
      return configuration;
    } catch (error) {
      throw unavailable(error, connection);
    }
  }
}

function fetchUnder(rules: TargetRules): client.CustomFetch {
  return async (url, { method, headers, body, signal }) =>
    guardedFetch(url, { method, headers, body, ...(signal ? { signal } : {}) }, rules);
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

function requireUsableSubject(subject: string): void {
  if (USABLE_SUBJECT.test(subject)) return;
  throw new Unauthenticated(
    'sso_failed',
    'The identity provider sent a subject (sub) with control characters or of more than 255 characters; correct it at the provider',
  );
}

/** The OpenID Connect library's error codes for provider responses that failed a check. */
const FAILED_CHECKS = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

/** Returns the error for a failed exchange of an authorization code. */
function exchangeFailure(error: unknown, connection: SsoConnection): Error {
  if (error instanceof Unauthenticated) return error;
  if (error instanceof client.ResponseBodyError)
    return new Unauthenticated(
      'sso_failed',
      `The identity provider refused the code (${error.error}); start the sign-in again`,
    );
  if (error instanceof client.ClientError && FAILED_CHECKS.has(error.code ?? ''))
    return new Unauthenticated(
      'sso_failed',
      `The answer of the identity provider cannot be trusted: ${messageOf(rootOf(error))}; start the sign-in again`,
    );
  return unavailable(error, connection);
}

/** Returns the error for a provider that cannot be reached, or does not speak OpenID Connect. */
function unavailable(error: unknown, { issuer }: SsoConnection): Unavailable {
  return new Unavailable(
    'identity_provider_unavailable',
    `The identity provider ${issuer} cannot be used: ${messageOf(rootOf(error))}`,
  );
}

/** Returns the first cause of an error. The OpenID Connect library wraps the error of a request in its own error. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
