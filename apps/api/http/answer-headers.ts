import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What every answer says: its `X-Request-Id`, and that it is nothing but what its `Content-Type` says. */
export function setAnswerHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({ 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' });
}

/** Puts the headers of every answer on each that a route gives, or that there is none. */
export function useAnswerHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(request, reply);
    done();
  });
}
