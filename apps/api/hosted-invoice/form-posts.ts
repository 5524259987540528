import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UnsupportedMediaType } from '../http/index.js';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Lets the hosted pages' forms through, which send no field: what else is in the body is not looked at. Everywhere else
 * such a body stays refused, so that no page of another site can send what the API would take for a request.
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
