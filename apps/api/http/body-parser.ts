import type { FastifyInstance } from 'fastify';
import { readRequestJson } from '#libs/core';

/** Bodies are JSON with exact numbers, read by {@link readRequestJson}. An empty body is no body. */
export function useExactJson(fastify: FastifyInstance): void {
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined);
    try {
      done(null, readRequestJson(text as string));
    } catch (error) {
      done(error as Error);
    }
  });
}
