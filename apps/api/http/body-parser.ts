import type { FastifyInstance } from 'fastify';
import { findForbiddenKey, InvalidRequest, parseJson } from '#libs/core';

const MAX_DEPTH = 20;

/**
 * Bodies are JSON with exact numbers. Malformed text, `__proto__` keys and deep nesting are refused before
 * anything else looks at them. An empty body is no body.
 */
export function useExactJson(fastify: FastifyInstance): void {
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined);
    let body: unknown;
    try {
      body = parseJson(text as string);
    } catch (error) {
      return done(new InvalidRequest('malformed_json', `The body is not JSON: ${(error as Error).message}`));
    }
    const forbidden = findForbiddenKey(body, MAX_DEPTH);
    if (forbidden)
      return done(
        new InvalidRequest('validation_failed', `${forbidden.field} ${forbidden.message}`, [forbidden]),
      );
    done(null, body);
  });
}
