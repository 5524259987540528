import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { loadSettings, systemClock } from '#libs/kernel/system';
import type { User } from '../entities/user.entity.js';
import { AccessTokens } from './access-tokens.js';
import type { Sessions } from './sessions.js';

const secret = 'a secret of the tests, which is long enough';
const user = { id: 'usr_1', workspaceId: 'acc_1', role: 'admin' } as User;
const live = new Map([['ses_1', user]]);
const sessions = { userOf: (id: string) => Promise.resolve(live.get(id)) } as unknown as Sessions;
const tokens = new AccessTokens(sessions, loadSettings({ JWT_SECRET: secret }));

/** What a provider of another kind of token publishes. */
const PUBLIC_KEY = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmac = (text: string, key = secret, hash = 'sha256'): string =>
  createHmac(hash, key).update(text).digest('base64url');

const now = Math.floor(systemClock.nowMillis() / 1_000);
const header = { alg: 'HS256', typ: 'at+jwt' };
const claims = {
  iss: 'countinghouse',
  aud: 'countinghouse-api',
  sub: 'usr_1',
  sid: 'ses_1',
  iat: now,
  exp: now + 60,
};

/** A token with a valid signature and any content. */
function signed(changes: object, headers: object = header, sign = hmac): string {
  const text = `${encode(headers)}.${encode({ ...claims, ...changes })}`;
  return `${text}.${sign(text)}`;
}

describe('an access token', () => {
  it('is a JWT for fifteen minutes that speaks for the user of its session', async () => {
    const issued = tokens.issue({ user, sessionId: 'ses_1', refreshToken: 'r' });
    expect(issued).toEqual({ accessToken: expect.any(String), refreshToken: 'r', expiresIn: 900 });
    const [head, payload] = issued.accessToken
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString());
    expect(JSON.parse(head!)).toEqual(header);
    const { iat, exp, ...rest } = JSON.parse(payload!) as typeof claims;
    expect(exp - iat).toBe(900);
    expect(rest).toEqual({ iss: 'countinghouse', aud: 'countinghouse-api', sub: 'usr_1', sid: 'ses_1' });
    await expect(tokens.authenticate(issued.accessToken)).resolves.toEqual({
      kind: 'user',
      id: 'usr_1',
      workspaceId: 'acc_1',
      role: 'admin',
      sessionId: 'ses_1',
    });
  });

  it('that is signed by these tests is valid, so the refusals below have the stated reason', async () => {
    await expect(tokens.authenticate(signed({}))).resolves.toMatchObject({ id: 'usr_1' });
  });

  const bad: Record<string, string> = {
    'signed with a public key as its secret': signed({}, header, (text) => hmac(text, PUBLIC_KEY)),
    'signed with another key': signed({}, header, (text) => hmac(text, 'another secret')),
    'without a signature': `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`,
    'of algorithm none, with a signature': signed({}, { ...header, alg: 'none' }),
    'of another HMAC': signed({}, { ...header, alg: 'HS512' }, (text) => hmac(text, secret, 'sha512')),
    'that calls itself RS256': signed({}, { ...header, alg: 'RS256' }),
    'of another type': signed({}, { ...header, typ: 'JWT' }),
    'without a type': signed({}, { alg: 'HS256' }),
    'that says where its key is': signed({}, { ...header, jku: 'https://example.com/keys' }),
    'that brings its key': signed({}, { ...header, jwk: { kty: 'oct', k: 'eA' } }),
    'that brings a certificate': signed({}, { ...header, x5u: 'https://example.com/cert' }),
    'with a critical extension': signed({}, { ...header, crit: ['b64'], b64: false }),
    'for another audience': signed({ aud: 'countinghouse-portal' }),
    'of another issuer': signed({ iss: 'somebody' }),
    'without an audience': signed({ aud: undefined }),
    'that never expires': signed({ exp: undefined }),
    'that has expired': signed({ exp: now - 1 }),
    'that is not valid yet': signed({ nbf: now + 60 }),
    'without a session': signed({ sid: undefined }),
    'of a session that has ended': signed({ sid: 'ses_2' }),
    "of somebody else's session": signed({ sub: 'usr_2' }),
    'with an object for a session': signed({ sid: { $ne: null } }),
    'that is not a token': 'a.b.c',
    'that is empty': '',
    'that is cut': signed({}).slice(0, -1),
  };

  it.each(Object.entries(bad))('%s is refused', async (_, token) => {
    await expect(tokens.authenticate(token)).resolves.toBeUndefined();
  });

  it('leads to an error if the session cannot be looked up', async () => {
    const broken = { userOf: () => Promise.reject(new Error('no database')) } as unknown as Sessions;
    const checker = new AccessTokens(broken, loadSettings({ JWT_SECRET: secret }));
    await expect(checker.authenticate(signed({}))).rejects.toThrow('no database');
  });
});
