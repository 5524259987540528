import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { systemClock } from '#libs/kernel/system';

/** The client that the provider knows. */
export const SIGNING_PROVIDER_CLIENT = {
  clientId: 'countinghouse',
  clientSecret: 'a secret: with / and +',
} as const;

/** A key pair of the provider. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** Generates an RSA key pair with this key id. */
export function signingKey(kid: string): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } };
}

/** Signs claims as a JWT. `header` replaces fields of the header, such as `kid`. */
export function signedToken(
  key: SigningKey,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const content = [{ alg: 'RS256', kid: key.kid, ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${sign('sha256', Buffer.from(content), key.privateKey).toString('base64url')}`;
}

/** A request that the provider's token endpoint received. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

/** The status, headers and body of an answer of the provider. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * An OpenID Connect provider whose answers a test can change: its metadata, keys, ID tokens and refusals. The code of a sign-in is the
 * nonce of the ID token.
 */
export class SigningProvider {
  /** The fields that replace fields of the metadata. A field of null is left out. */
  metadata: Record<string, unknown> = {};
  /** The keys at `jwks_uri`. */
  keys: SigningKey[] = [signingKey('first')];
  /** Claims that replace claims of the ID token. */
  claims: Record<string, unknown> = {};
  /** Makes the ID token of these claims. */
  token: (claims: Record<string, unknown>) => string = (claims) => signedToken(this.keys[0]!, claims);
  /** The answer to the next token requests, if it is not tokens. */
  refusal: ProviderAnswer | undefined;
  /** The answer of the UserInfo endpoint. */
  userInfo: ProviderAnswer = { status: 404, body: {} };
  readonly tokenRequests: TokenRequest[] = [];
  /** How often the keys were read. */
  keyReads = 0;

  private constructor(
    private readonly server: http.Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<SigningProvider> {
    const server = http.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = new SigningProvider(
      server,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    server.on('request', (request, response) => {
      void provider.answer(request).then(({ status, headers, body }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(body));
      });
    });
    return provider;
  }

  async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage): Promise<ProviderAnswer> {
    switch (request.url ?? '') {
      case '/.well-known/openid-configuration':
        return { status: 200, body: this.shownMetadata() };
      case '/jwks':
        this.keyReads += 1;
        return { status: 200, body: { keys: this.keys.map(({ jwk }) => jwk) } };
      case '/token':
        return this.tokens(request);
      case '/userinfo':
        return this.userInfo;
      default:
        return { status: 404, body: {} };
    }
  }

  private shownMetadata(): Record<string, unknown> {
    const all: Record<string, unknown> = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      ...this.metadata,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  }

  private async tokens(request: IncomingMessage): Promise<ProviderAnswer> {
    let text = '';
    for await (const part of request) text += String(part);
    const form = new URLSearchParams(text);
    this.tokenRequests.push({ authorization: request.headers.authorization, form });
    if (this.refusal) return this.refusal;
    const nowSeconds = Math.floor(Date.parse(systemClock.now()) / 1_000);
    const claims = {
      iss: this.issuer,
      aud: SIGNING_PROVIDER_CLIENT.clientId,
      sub: createHash('sha256').update('ada').digest('hex'),
      iat: nowSeconds,
      exp: nowSeconds + 300,
      nonce: form.get('code'),
      email: 'ada@example.com',
      ...this.claims,
    };
    return {
      status: 200,
      body: { access_token: 'access', token_type: 'Bearer', id_token: this.token(claims) },
    };
  }
}
