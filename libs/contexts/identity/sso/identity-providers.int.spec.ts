import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TargetPolicy } from '#libs/kernel/outbound';
import {
  SIGNING_PROVIDER_CLIENT,
  SigningProvider,
  signedToken,
  signingKey,
  type TokenRequest,
} from '../../../../test/support/signing-provider.js';
import type { SsoConnection } from '../entities/sso-connection.entity.js';
import { IdentityProviders, type IdentityProviderUser } from './identity-providers.js';

const redirectUri = 'https://app.example.com/sso';
const { clientId, clientSecret } = SIGNING_PROVIDER_CLIENT;
let provider: SigningProvider;
let providers: IdentityProviders;

beforeEach(async () => {
  provider = await SigningProvider.start();
  providers = new IdentityProviders({
    rulesOf: async () => Promise.resolve({ allowsLoopback: true }),
  } as unknown as TargetPolicy);
});
afterEach(() => provider.stop());

const connection = (): SsoConnection =>
  ({
    id: 'sso_1',
    workspaceId: 'acc_1',
    issuer: provider.issuer,
    clientId,
    updatedAt: '2026-01-01T00:00:00.000Z',
  }) as unknown as SsoConnection;

/** Begins a sign-in. */
const begin = async (): Promise<string> =>
  providers.authorizationUrl(connection(), clientSecret, providers.generateSignInSecrets(), { redirectUri });

/** Signs a user in. The provider puts the code into the ID token as the nonce. */
const signIn = async (): Promise<IdentityProviderUser> => {
  const secrets = providers.generateSignInSecrets();
  return providers.exchangeCode(connection(), clientSecret, secrets, { redirectUri, code: secrets.nonce });
};
const refused = { name: 'Unauthenticated', code: 'sso_failed', status: 401 };

describe('the signature of an ID token', () => {
  it('is checked with the keys of the provider', async () => {
    await expect(signIn()).resolves.toMatchObject({ email: 'ada@example.com' });
    expect(provider.keyReads).toBe(1);
  });

  const withSignature = (token: string, signature: string) =>
    [...token.split('.').slice(0, 2), signature].join('.');
  const other = signingKey('other');
  const unsigned = (claims: Record<string, unknown>) =>
    withSignature(signedToken(provider.keys[0]!, claims, { alg: 'none', kid: undefined }), '');
  it.each<[string, (claims: Record<string, unknown>) => string]>([
    ['of other bytes', (claims) => withSignature(signedToken(provider.keys[0]!, claims), 'AAAA')],
    ['that is empty', (claims) => withSignature(signedToken(provider.keys[0]!, claims), '')],
    ['that is no base64', (claims) => withSignature(signedToken(provider.keys[0]!, claims), '*')],
    ['by another key', (claims) => signedToken(other, claims, { kid: provider.keys[0]!.kid })],
    ['by an unknown kid', (claims) => signedToken(other, claims)],
    ['by a key in the token', (claims) => signedToken(other, claims, { kid: undefined, jwk: other.jwk })],
    ['by no algorithm', unsigned],
    ['by the client secret', (claims) => signedToken(provider.keys[0]!, claims, { alg: 'HS256' })],
  ])('refuses a signature %s', async (_, token) => {
    provider.token = token;
    await expect(signIn()).rejects.toMatchObject(refused);
  });

  it('is accepted at once from a rotated key, and no longer from the key before', async () => {
    await signIn();
    const [before] = provider.keys;
    provider.keys = [signingKey('second')];
    await expect(signIn()).resolves.toMatchObject({ email: 'ada@example.com' });
    provider.token = (claims) => signedToken(before!, claims);
    await expect(signIn()).rejects.toMatchObject(refused);
  });
});

describe('email_verified', () => {
  it.each<[unknown, boolean | undefined]>([
    [true, true],
    ['true', true],
    [undefined, undefined],
    [false, false],
    ['false', false],
    ['False', false],
    [0, false],
    [1, false],
    [null, false],
    ['', false],
  ])('as %j counts as %s', async (given, verified) => {
    provider.claims = { email_verified: given };
    await expect(signIn()).resolves.toHaveProperty('emailVerified', verified);
  });
});

describe('the client authentication', () => {
  const basic = `Basic ${Buffer.from('countinghouse:a+secret%3A+with+%2F+and+%2B').toString('base64')}`;
  const methodOf = ({ authorization, form }: TokenRequest): string => {
    if (authorization === basic) return 'client_secret_basic';
    if (form.get('client_secret') === clientSecret) return 'client_secret_post';
    if (form.get('client_assertion')?.split('.').length === 3) return 'client_secret_jwt';
    return authorization === undefined ? 'none' : authorization;
  };
  it.each<[string, string[] | null]>([
    ['client_secret_basic', ['client_secret_basic']],
    ['client_secret_post', ['client_secret_post']],
    ['client_secret_jwt', ['private_key_jwt', 'client_secret_jwt']],
    ['none', ['none']],
    // OpenID Connect Discovery 1.0, section 3: the default.
    ['client_secret_basic', null],
    ['client_secret_post', ['client_secret_basic', 'client_secret_post']],
  ])('is %s if the metadata names %j', async (method, supported) => {
    provider.metadata = { token_endpoint_auth_methods_supported: supported };
    await signIn();
    expect(methodOf(provider.tokenRequests[0]!)).toBe(method);
  });

  it.each([[['private_key_jwt']], [[]], ['client_secret_basic']])(
    'is refused before the user is sent away if the metadata names %j',
    async (supported) => {
      provider.metadata = { token_endpoint_auth_methods_supported: supported };
      await expect(begin()).rejects.toMatchObject({ code: 'sso_provider_unusable', status: 409 });
    },
  );

  it.each([
    ['Basic realm="provider"', 'status 401'],
    ['Bearer error="invalid_token"', 'invalid_token'],
  ])('that the provider refuses with WWW-Authenticate: %s is no outage', async (challenge, reason) => {
    provider.refusal = {
      status: 401,
      headers: { 'www-authenticate': challenge },
      body: { error: 'invalid_client' },
    };
    await expect(signIn()).rejects.toMatchObject({ ...refused, message: expect.stringContaining(reason) });
  });

  it('that the UserInfo endpoint refuses is no outage', async () => {
    provider.claims = { email: undefined };
    provider.userInfo = {
      status: 401,
      body: {},
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
    };
    const message = expect.stringContaining('insufficient_scope');
    await expect(signIn()).rejects.toMatchObject({ ...refused, message });
  });
});

describe('metadata that cannot be used', () => {
  it.each<[string, unknown]>([
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'data:text/html,x'],
    ['authorization_endpoint', 'http://example.com/authorize'],
    ['authorization_endpoint', 'no URL'],
    ['authorization_endpoint', 7],
    ['authorization_endpoint', null],
    ['token_endpoint', 'javascript:alert(1)'],
    ['token_endpoint', 'https://10.0.0.1/token'],
    ['token_endpoint', null],
    ['jwks_uri', 'data:application/json,{}'],
    ['jwks_uri', {}],
    ['jwks_uri', null],
    ['userinfo_endpoint', 'file:///etc/passwd'],
  ])('has its own error: %s = %j', async (field, value) => {
    provider.metadata = { [field]: value };
    const error = { code: 'sso_provider_unusable', status: 409, message: expect.stringContaining(field) };
    await expect(begin()).rejects.toMatchObject(error);
    await expect(signIn()).rejects.toMatchObject(error);
  });

  it('has its own error if its keys are none', async () => {
    provider.keys = [{ ...provider.keys[0]!, jwk: { kty: 'RSA', kid: 'first', n: '*', e: 1 } }];
    await expect(signIn()).rejects.toMatchObject(refused);
  });
});
