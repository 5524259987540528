import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Strategy, type StrategyOptionsWithoutRequest, type VerifiedCallback } from 'passport-jwt';
import { requireSetting, systemClock, type Settings } from '#libs/kernel/system';
import { SETTINGS } from '#libs/kernel/app';
import type { Principal } from '../principal.js';
import { Sessions, type OpenSession } from './sessions.js';

const ISSUER = 'countinghouse';
const AUDIENCE = 'countinghouse-api';
/** RFC 9068: says in the token itself that it is an access token, so that no other kind passes for one. */
const HEADER = { alg: 'HS256', typ: 'at+jwt' } as const;

/** What a user sends with every request, and what they get the next one with. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** Seconds that the access token lasts. */
  expiresIn: number;
}

/** The parts of a verified token, as jsonwebtoken gives them with `complete`. */
interface VerifiedToken {
  header: Record<string, unknown>;
  payload: unknown;
}

/**
 * Access tokens: JWTs that name a user and a session. The token does not say what the user may do. That is looked up with the session, so
 * signing out and changes of role count at once.
 */
@Injectable()
export class AccessTokens {
  private readonly jwt: JwtService;
  private readonly strategy: Strategy;
  private readonly lifetime: number;

  constructor(
    private readonly sessions: Sessions,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const secret = requireSetting(settings, 'jwtSecret');
    this.lifetime = settings.accessTokenSeconds;
    this.jwt = new JwtService({ secret });
    const options = verification(createSecretKey(secret, 'utf8'));
    this.strategy = new Strategy(options, (token: VerifiedToken, done: VerifiedCallback) => {
      this.principalOf(token).then(
        (principal) => done(null, principal ?? false),
        (error: unknown) => done(error, false),
      );
    });
  }

  /** A new access token for a session, beside its refresh token. */
  issue({ user, sessionId, refreshToken }: OpenSession): Tokens {
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

  /** Whom the token speaks for; undefined if it is not one of ours, has run out, or its session has ended. */
  async check(token: string): Promise<Principal | undefined> {
    return new Promise((resolve, reject) => {
      // A strategy answers through methods that its caller gives it. Passport itself would do that too, but keeps
      // strategies by name in one registry for the whole process.
      const attempt = Object.assign(Object.create(this.strategy) as Strategy, {
        success: (principal: Principal) => resolve(principal),
        fail: () => resolve(undefined),
        error: reject,
      });
      attempt.authenticate({ token } as never);
    });
  }

  private async principalOf({ header, payload }: VerifiedToken): Promise<Principal | undefined> {
    // Only the header that we write: no `jku`, `jwk` or `x5u` that some library might one day follow.
    if (header.typ !== HEADER.typ || Object.keys(header).length !== Object.keys(HEADER).length)
      return undefined;
    const { sub, sid, exp } = payload as Record<string, unknown>;
    // The library looks at when a token runs out only if the token says so.
    if (typeof sub !== 'string' || typeof sid !== 'string' || typeof exp !== 'number') return undefined;
    const user = await this.sessions.userOf(sid);
    if (user?.id !== sub) return undefined;
    return { kind: 'user', id: user.id, workspaceId: user.workspaceId, role: user.role, sessionId: sid };
  }
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
