import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Sets the headers that every response has. `X-Request-Id` names the request. `nosniff` tells browsers to trust the `Content-Type`. */
export function setAnswerHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({ 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' });
}

/** Sets the headers of {@link setAnswerHeaders} on every response, also where no route matches. */
export function useAnswerHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(request, reply);
    done();
  });
}
