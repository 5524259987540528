import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import * as client from 'openid-client';
import { AppError, Conflict, Unauthenticated, Unavailable } from '#libs/kernel/core';
import { guardedFetch, TargetPolicy, targetProblem, type TargetRules } from '#libs/kernel/outbound';
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
   * True if the provider says that it verified the e-mail address: the boolean true, or the text "true" that some providers send. False if
   * the provider says anything else. Undefined if the provider says nothing about it.
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
/** The time after which the metadata of a provider are read again. The keys are read at each sign-in. */
const KNOWN_MILLIS = 10 * 60_000;

/**
 * Signs users in at the workspaces' OpenID Connect providers, with the authorization code flow and PKCE (RFC 7636). Checks `nonce`, and
 * `iss` where the provider sends it (RFC 9207). A request goes only to addresses that the workspace's webhooks may also use.
 */
@Injectable()
export class IdentityProviders {
  private readonly known = new LRUCache<string, client.ServerMetadata>({ max: MAX_KNOWN, ttl: KNOWN_MILLIS });

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
   * read. Throws Conflict (`sso_provider_unusable`) if the metadata have an endpoint or methods that cannot be used.
   */
  async authorizationUrl(
    connection: SsoConnection,
    clientSecret: string,
    { state, nonce, codeVerifier }: SignInSecrets,
    { redirectUri, email }: { readonly redirectUri: string; readonly email?: string | undefined },
  ): Promise<string> {
    const configuration = await this.configurationOf(connection, clientSecret);
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state,
      nonce,
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
   * check fails, if the provider refuses the client, or if the subject is too long or has control characters. Throws Conflict
   * (`sso_provider_unusable`) as {@link authorizationUrl} does. Throws Unavailable if the provider does not answer.
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
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
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
        emailVerified: emailVerified === undefined ? undefined : isTrue(emailVerified),
        name: textOf(name),
      };
    } catch (error) {
      throw exchangeFailure(error, connection);
    }
  }

  /**
   * Returns what the OpenID Connect library needs for one sign-in. The library keeps the keys of a configuration for some minutes. Each
   * sign-in therefore has a configuration of its own, so that a rotated key is accepted at once, and a removed key no longer.
   */
  private async configurationOf(
    connection: SsoConnection,
    clientSecret: string,
  ): Promise<client.Configuration> {
    const { id, issuer, clientId, updatedAt } = connection;
    const rules = await this.targets.rulesOf(connection.workspaceId);
    const key = `${id} ${updatedAt} ${rules.allowsLoopback}`;
    const known = this.known.get(key);
    const configuration = await client
      .discovery(
        new URL(issuer),
        clientId,
        clientSecret,
        (server, ...request) => clientAuthenticationFor(server, issuer, clientSecret)(server, ...request),
        {
          timeout: TIMEOUT_SECONDS,
          // The target rules decide whether http is allowed. They allow it only to this machine, in a sandbox whose operator allows it.
          execute: rules.allowsLoopback ? [client.allowInsecureRequests] : [],
          [client.customFetch]: known ? async () => Promise.resolve(Response.json(known)) : fetchUnder(rules),
        },
      )
      .catch((error: unknown) => {
        throw unavailable(error, connection);
      });
    const metadata = configuration.serverMetadata();
    requireUsableEndpoints(metadata, issuer, rules);
    clientAuthenticationFor(metadata, issuer, clientSecret);
    if (!known) this.known.set(key, metadata);
    configuration[client.customFetch] = fetchUnder(rules);
    // Without this call, the library does not check signatures of ID tokens that come from the token endpoint.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  }
}

/**
 * Throws Conflict (`sso_provider_unusable`) if an endpoint of the provider is missing, or is a URL to which no request may be sent.
 */
function requireUsableEndpoints(metadata: client.ServerMetadata, issuer: string, rules: TargetRules): void {
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
  const endpoints: Record<string, unknown> = { authorization_endpoint, token_endpoint, jwks_uri };
  if (userinfo_endpoint !== undefined) endpoints['userinfo_endpoint'] = userinfo_endpoint;
  for (const [name, url] of Object.entries(endpoints)) {
    const problem = typeof url === 'string' ? targetProblem(url, rules) : 'must be an https:// URL';
    if (problem !== undefined) throw unusable(issuer, `the ${name} in its metadata ${problem}`);
  }
}

/**
 * Returns how the client proves itself at the token endpoint, by the methods that the provider's metadata name. `client_secret_post` comes
 * first because all connections used it before the metadata were read. Without a list the method is `client_secret_basic` (OpenID Connect
 * Discovery 1.0, section 3). Throws Conflict (`sso_provider_unusable`) if the provider takes no method that works with a client secret.
 */
function clientAuthenticationFor(
  {
    token_endpoint_auth_methods_supported: supported = ['client_secret_basic'],
  }: Pick<client.ServerMetadata, 'token_endpoint_auth_methods_supported'>,
  issuer: string,
  clientSecret: string,
): client.ClientAuth {
  const methods: readonly unknown[] = Array.isArray(supported) ? supported : [];
  if (methods.includes('client_secret_post')) return client.ClientSecretPost(clientSecret);
  if (methods.includes('client_secret_basic')) return client.ClientSecretBasic(clientSecret);
  if (methods.includes('client_secret_jwt')) return client.ClientSecretJwt(clientSecret);
  if (methods.includes('none')) return client.None();
  throw unusable(
    issuer,
    'its metadata (token_endpoint_auth_methods_supported) name none of client_secret_post, client_secret_basic, client_secret_jwt and none',
  );
}

function unusable(issuer: string, reason: string): Conflict {
  return new Conflict(
    'sso_provider_unusable',
    `The identity provider ${issuer} cannot be used: ${reason}; correct it at the provider`,
  );
}

function fetchUnder(rules: TargetRules): client.CustomFetch {
  return async (url, { method, headers, body, signal }) =>
    guardedFetch(url, { method, headers, body, ...(signal ? { signal } : {}) }, rules);
}

/** Tells whether a claim means true. Some providers send the text "true". */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true';
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
  'OAUTH_PARSE_ERROR',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** Returns the error for a failed exchange of an authorization code. */
function exchangeFailure(error: unknown, connection: SsoConnection): Error {
  if (error instanceof AppError) return error;
  if (error instanceof client.ResponseBodyError)
    return new Unauthenticated(
      'sso_failed',
      `The identity provider refused the code (${error.error}); start the sign-in again`,
    );
  if (error instanceof client.WWWAuthenticateChallengeError)
    return new Unauthenticated(
      'sso_failed',
      `The identity provider refused the request (${refusalOf(error)}); an administrator must check the client id and secret`,
    );
  if (error instanceof client.ClientError && FAILED_CHECKS.has(error.code ?? ''))
    return new Unauthenticated(
      'sso_failed',
      `The answer of the identity provider cannot be trusted: ${messageOf(rootOf(error))}; start the sign-in again`,
    );
  const root = rootOf(error);
  if (root instanceof DOMException && root.name === 'DataError')
    return new Unauthenticated(
      'sso_failed',
      'The key of the identity provider for this ID token cannot be read; correct it at the provider',
    );
  // The library's error for a part of a token that is not base64url.
  if ((error as NodeJS.ErrnoException).code === 'ERR_INVALID_ARG_VALUE')
    return new Unauthenticated(
      'sso_failed',
      'The ID token of the identity provider is malformed; start the sign-in again',
    );
  return unavailable(error, connection);
}

/** Returns the error code of a refusal by `WWW-Authenticate` (RFC 6750, section 3), or its status if it has no code. */
function refusalOf({ cause, status }: client.WWWAuthenticateChallengeError): string {
  const codes = cause.map(({ parameters }) => parameters['error']);
  return codes.find((code) => code !== undefined) ?? `status ${status}`;
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
