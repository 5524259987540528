import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '#libs/kernel/core';
import { type Settings } from '#libs/kernel/system';
import { credentialOf as credentialIn } from './auth/credentials.js';
import { kindOf } from './request-kind.js';
import { RefusedCredentials } from './refused-credentials.js';

/** 429: too many requests; `Retry-After` says when to come back. */
class RateLimited extends AppError {
  readonly status = 429;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Whether the request's route looks at its credential. */
export type LooksAtCredential = (request: FastifyRequest) => boolean;

/**
 * Limits by credential (by address where there is none): usage, sign-in and everything else each have
 * their own. The numbers are settings. Health checks are never limited.
 */
export async function useRateLimits(
  fastify: FastifyInstance,
  settings: Settings,
  looksAtCredential: LooksAtCredential,
): Promise<void> {
  limitGuesses(fastify, settings.rateLimitPerSecond);
  await fastify.register(rateLimit, {
    global: true,
    cache: 20_000,
    keyGenerator: (request) => `${kindOf(request)} ${keyOf(request, looksAtCredential)}`,
    max: (request) => {
      switch (kindOf(request)) {
        case 'usage':
          return settings.usageRateLimitPerSecond;
        case 'auth':
          return settings.authRateLimitPerMinute;
        case 'other':
          return settings.rateLimitPerSecond;
      }
    },
    timeWindow: (request) => (kindOf(request) === 'auth' ? MINUTE : SECOND),
    allowList: (request) => isHealth(request),
    errorResponseBuilder: (_request, { after }) =>
      new RateLimited('rate_limited', `Too many requests; try again in ${after}`),
  });
}

/**
 * A credential is looked at only after its limit, so whoever makes one up for each request has a fresh limit each time.
 * What is refused therefore counts for its address, and an address with too many of them in a second is not asked for
 * more, save with credentials that were good before: those who share the address go on.
 */
function limitGuesses(fastify: FastifyInstance, perSecond: number): void {
  const refused = new RefusedCredentials(perSecond);
  fastify.addHook('onRequest', (request, reply, done) => {
    const credential = credentialOf(request);
    if (credential === undefined || isHealth(request) || !refused.isOver(request.ip, credential))
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
    if (credential !== undefined && request.principal) refused.noteGood(credential);
    else if (credential !== undefined && reply.statusCode === 401) refused.note(request.ip, credential);
    done();
  });
}

function isHealth(request: FastifyRequest): boolean {
  return request.url.startsWith('/v1/health');
}

/** Where nobody looks at a credential, it is no key: whoever made one up for each request would have no limit. */
function keyOf(request: FastifyRequest, looksAtCredential: LooksAtCredential): string {
  if (kindOf(request) === 'auth' || !looksAtCredential(request)) return request.ip;
  return credentialOf(request) ?? request.ip;
}

/**
 * What tells credentials apart, not yet checked: their ends, where both the secret of an API key and the signature of a
 * token are. A header of many kilobytes is not kept. How the header is written does not count: one key has one limit, however many
 * spaces stand before it. What is no credential by its form has the limit of its address.
 */
function credentialOf({ headers }: FastifyRequest): string | undefined {
  try {
    return credentialIn(headers)?.value.slice(-64);
  } catch {
    return undefined;
  }
}
