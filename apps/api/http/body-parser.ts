import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readRequestJson, type Settings } from '#libs/core';
import { readUsageJson } from '#libs/usage';
import { kindOf, kindOfRoute } from './request-kind.js';

/** More than any of them takes: bodies with credentials, and bodies of all the other endpoints but those for usage. */
const AUTH_BODY_BYTES = 16_384;
const BODY_BYTES = 1_048_576;

/**
 * Bodies are JSON with exact numbers. How large one may be, and its parts, depends on the endpoint: small where no credential is needed.
 * Beyond that it is refused before anything is made of it. An empty body is no body.
 */
export function useExactJson(fastify: FastifyInstance, settings: Settings): void {
  const { bodyLimitBytes, usageBatchLimit } = settings;
  fastify.addHook('onRoute', (route) => {
    switch (kindOfRoute(String(route.method), route.url)) {
      case 'usage':
        return;
      case 'auth':
        route.bodyLimit = AUTH_BODY_BYTES;
        return;
      case 'other':
        route.bodyLimit = Math.min(BODY_BYTES, bodyLimitBytes);
    }
  });
  const read = (request: FastifyRequest, text: string): unknown =>
    kindOf(request) === 'usage' ? readUsageJson(text, usageBatchLimit) : readRequestJson(text);
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined);
    try {
      done(null, read(request, text as string));
    } catch (error) {
      done(error as Error);
    }
  });
}
