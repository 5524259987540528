import type { FastifyInstance } from 'fastify';

/**
 * Closes each connection after its current response when the API shuts down. Node itself closes only the connections that are idle when the
 * shutdown begins. A connection with an active request would become idle later, stay open, and keep the process running.
 */
export function endConnectionsWhenClosing(fastify: FastifyInstance): void {
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
}
