import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Sets the headers that every response has. `X-Request-Id` names the request. `nosniff` tells browsers to trust the `Content-Type`. */
export function setResponseHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({ 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' });
}

/** Sets the headers of {@link setResponseHeaders} on every response, including responses to requests that match no route. */
export function useResponseHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    setResponseHeaders(request, reply);
    done();
  });
}
