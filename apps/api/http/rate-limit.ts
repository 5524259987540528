import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '#libs/kernel/core';
import { type Settings } from '#libs/kernel/system';
import { credentialOf as credentialIn } from './auth/credentials.js';
import { requestKindOf } from './request-kind.js';
import { RefusedCredentialCounter } from './refused-credential-counter.js';

/** 429: too many requests. The response header `Retry-After` says when to try again. */
class RateLimited extends AppError {
  readonly status = 429;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Whether the route of a request checks its credential. */
export type ChecksCredential = (request: FastifyRequest) => boolean;

/**
 * Limits the number of requests per credential, or per IP address if a request has no credential. Usage, sign-in and all other requests
 * have separate limits, which are configured in settings. Health checks are never limited.
 */
export async function useRateLimits(
  fastify: FastifyInstance,
  settings: Settings,
  looksAtCredential: ChecksCredential,
): Promise<void> {
  limitGuesses(fastify, settings.rateLimitPerSecond);
  await fastify.register(rateLimit, {
    global: true,
    cache: 20_000,
    keyGenerator: (request) => `${requestKindOf(request)} ${keyOf(request, looksAtCredential)}`,
    max: (request) => {
      switch (requestKindOf(request)) {
        case 'usage':
          return settings.usageRateLimitPerSecond;
        case 'auth':
          return settings.authRateLimitPerMinute;
        case 'gateway':
        case 'other':
          return settings.rateLimitPerSecond;
      }
    },
    timeWindow: (request) => (requestKindOf(request) === 'auth' ? MINUTE : SECOND),
    allowList: (request) => isHealth(request),
    errorResponseBuilder: (_request, { after }) =>
      new RateLimited('rate_limited', `Too many requests; try again in ${after}`),
  });
}

/**
 * Limits guesses of credentials. A credential is checked after its rate limit, so a new made-up credential always has a fresh limit.
 * Therefore each refused credential is counted for the IP address that sent the credential. An IP address with too many refused credentials
 * in a second is refused, except with credentials that were valid before. Other clients at the same IP address can therefore continue.
 */
function limitGuesses(fastify: FastifyInstance, perSecond: number): void {
  const refused = new RefusedCredentialCounter(perSecond);
  fastify.addHook('onRequest', (request, reply, done) => {
    const credential = credentialOf(request);
    if (credential === undefined || isHealth(request) || !refused.hasReachedLimit(request.ip, credential))
      return done();
    void reply.header('Retry-After', '1');
    done(
      new RateLimited(
        'rate_limited',
        'Too many refused credentials came from this address; try again in 1 second',
      ),
    );
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const credential = credentialOf(request);
    if (credential !== undefined && request.principal) refused.rememberValid(credential);
    else if (credential !== undefined && reply.statusCode === 401)
      refused.countRefused(request.ip, credential);
    done();
  });
}

function isHealth(request: FastifyRequest): boolean {
  return request.url.startsWith('/v1/health');
}

/**
 * Returns the key under which the requests of a client are counted for the rate limit. A route that checks no credential is limited by IP
 * address. Otherwise a client could avoid the limit with a made-up credential for each request.
 */
function keyOf(request: FastifyRequest, looksAtCredential: ChecksCredential): string {
  if (requestKindOf(request) === 'auth' || !looksAtCredential(request)) return request.ip;
  return credentialOf(request) ?? request.ip;
}

/**
 * The last 64 characters of a credential, which is not checked yet. The secret of an API key and the signature of a token are at the end,
 * so the last characters identify the credential. A header of many kilobytes is therefore not kept in memory. Spaces in the header are
 * ignored, so each API key has one rate limit. Returns undefined if the credential is malformed. The rate limit of the IP address then
 * applies.
 */
function credentialOf({ headers }: FastifyRequest): string | undefined {
  try {
    return credentialIn(headers)?.value.slice(-64);
  } catch {
    return undefined;
  }
}
