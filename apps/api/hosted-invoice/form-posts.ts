import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UnsupportedMediaType } from '../http/index.js';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Accepts form bodies on the hosted pages, whose forms send no fields, and ignores their content. All other routes refuse such bodies, so
 * no page of another site can send a form that the API would read as a request.
 */
export function acceptFormPosts(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: 1_024 }, (request, _text, done) => {
    if (isHostedPage(request)) return done(null, undefined);
    done(new UnsupportedMediaType());
  });
}

function isHostedPage(request: FastifyRequest): boolean {
  return request.url.startsWith('/i/');
}
