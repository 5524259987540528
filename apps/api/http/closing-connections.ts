import type { FastifyInstance } from 'fastify';

/**
 * Ends each connection with its last answer once the API is closing. Node closes the connections that are idle when
 * closing begins; one with a request in flight would become idle later and be kept open, and with it the process.
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
