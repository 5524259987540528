import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Strategy, type StrategyOptionsWithoutRequest, type VerifiedCallback } from 'passport-jwt';
import { requireSecrets, systemClock, type Settings } from '#libs/kernel/system';
import { SETTINGS } from '#libs/kernel/app';
import type { Principal } from '../principal.js';
import { Sessions, type SessionWithRefreshToken } from './sessions.js';

const ISSUER = 'countinghouse';
const AUDIENCE = 'countinghouse-api';
/**
 * The header of each access token. The type `at+jwt` (RFC 9068) marks the token as an access token, so that no other kind of token is
 * accepted as one.
 */
const HEADER = { alg: 'HS256', typ: 'at+jwt' } as const;

/**
 * The two tokens of a session. The access token authenticates each request of a user. The refresh token is exchanged for a new access token
 * and a new refresh token.
 */
export interface SessionTokens {
  accessToken: string;
  refreshToken: string;
  /** The lifetime of the access token in seconds. */
  expiresIn: number;
}

/** The parts of a verified token that the library jsonwebtoken returns with the option `complete`. */
interface VerifiedToken {
  header: Record<string, unknown>;
  payload: unknown;
}

/**
 * Issues and checks access tokens, which are JWTs that identify a user and a session. An access token does not contain the user's
 * permissions. The permissions are looked up with the session, so a sign-out or a change of role takes effect at once.
 */
@Injectable()
export class AccessTokens {
  private readonly jwt: JwtService;
  /** By the present secret, and by the former one while it is replaced. */
  private readonly strategies: readonly Strategy[];
  private readonly lifetime: number;

  constructor(
    private readonly sessions: Sessions,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const [secret, former] = requireSecrets(settings);
    this.lifetime = settings.accessTokenSeconds;
    this.jwt = new JwtService({ secret });
    this.strategies = [secret, ...(former === undefined ? [] : [former])].map(
      (one) =>
        new Strategy(
          verification(createSecretKey(one, 'utf8')),
          (token: VerifiedToken, done: VerifiedCallback) => {
            this.principalOf(token).then(
              (principal) => done(null, principal ?? false),
              (error: unknown) => done(error, false),
            );
          },
        ),
    );
  }

  /** Issues a new access token for a session, and returns it with the session's current refresh token. */
  issue({ user, sessionId, refreshToken }: SessionWithRefreshToken): SessionTokens {
    const iat = Math.floor(systemClock.nowMillis() / 1_000);
    const claims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: user.id,
      sid: sessionId,
      iat,
      exp: iat + this.lifetime,
    };
    const accessToken = this.jwt.sign(claims, { algorithm: HEADER.alg, header: HEADER });
    return { accessToken, refreshToken, expiresIn: this.lifetime };
  }

  /**
   * Returns the principal of an access token. Returns undefined if the token was not issued by this service or has expired, or if its
   * session has ended.
   */
  async authenticate(token: string): Promise<Principal | undefined> {
    for (const strategy of this.strategies) {
      const principal = await principalBy(strategy, token);
      if (principal) return principal;
    }
    return undefined;
  }

  private async principalOf({ header, payload }: VerifiedToken): Promise<Principal | undefined> {
    // Only our own header is accepted. Other fields, such as `jku`, `jwk` or `x5u`, are refused, because a library could follow them one
    // day.
    if (header.typ !== HEADER.typ || Object.keys(header).length !== Object.keys(HEADER).length)
      return undefined;
    const { sub, sid, exp } = payload as Record<string, unknown>;
    // The library checks the expiry only if the token contains one.
    if (typeof sub !== 'string' || typeof sid !== 'string' || typeof exp !== 'number') return undefined;
    const user = await this.sessions.userOf(sid);
    if (user?.id !== sub) return undefined;
    return { kind: 'user', id: user.id, workspaceId: user.workspaceId, role: user.role, sessionId: sid };
  }
}

/** Asks one strategy for the principal of a token. */
function principalBy(strategy: Strategy, token: string): Promise<Principal | undefined> {
  return new Promise((resolve, reject) => {
    // A strategy returns its result by calling methods that the caller provides. Passport itself could provide them, but it keeps
    // strategies by name in one registry for the whole process.
    const attempt = Object.assign(Object.create(strategy) as Strategy, {
      success: (principal: Principal) => resolve(principal),
      fail: () => resolve(undefined),
      error: reject,
    });
    attempt.authenticate({ token } as never);
  });
}

function verification(key: KeyObject): StrategyOptionsWithoutRequest {
  return {
    jwtFromRequest: (request: unknown) => (request as { token: string }).token,
    secretOrKeyProvider: (_request, _token, done) => done(null, key as never),
    algorithms: [HEADER.alg],
    issuer: ISSUER,
    audience: AUDIENCE,
    jsonWebTokenOptions: { complete: true },
  };
}
