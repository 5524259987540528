import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, type Settings } from '#libs/core';

/** 429: too many requests; `Retry-After` says when to come back. */
class RateLimited extends AppError {
  readonly status = 429;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * Limits by credential (by address where there is none): usage, sign-in and everything else each have
 * their own. The numbers are settings. Health checks are never limited.
 */
export async function useRateLimits(fastify: FastifyInstance, settings: Settings): Promise<void> {
  await fastify.register(rateLimit, {
    global: true,
    cache: 20_000,
    keyGenerator: (request) => `${kindOf(request)} ${credentialOf(request)}`,
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
    allowList: (request) => request.url.startsWith('/v1/health'),
    errorResponseBuilder: (_request, { after }) =>
      new RateLimited('rate_limited', `Too many requests; try again in ${after}`),
  });
}

function kindOf(request: FastifyRequest): 'usage' | 'auth' | 'other' {
  if (request.method === 'POST' && request.url.startsWith('/v1/events')) return 'usage';
  return request.url.startsWith('/v1/auth/') ? 'auth' : 'other';
}

function credentialOf(request: FastifyRequest): string {
  if (kindOf(request) === 'auth') return request.ip;
  return String(request.headers['x-api-key'] ?? request.headers.authorization ?? request.ip);
}
