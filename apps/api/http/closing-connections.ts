import type { FastifyInstance } from 'fastify';

/**
 * Ends each connection with its last response once the API is closing. Node itself closes only the connections that are idle when closing
 * begins. A connection with a request in flight would become idle later, stay open, and keep the process running.
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
