import type { FastifyInstance } from 'fastify';
import type { Logger } from '#libs/core';

/** Every answer carries its `X-Request-Id`; every request is one line in the log, without its query or body. */
export function useRequestLog(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Request-Id', request.id);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { principal } = request;
    const line = {
      requestId: request.id,
      method: request.method,
      path: request.url.split('?')[0]!.replace(/^\/i\/.*/, '/i/:token'),
      status: reply.statusCode,
      millis: Math.round(reply.elapsedTime * 10) / 10,
      accountId: principal?.accountId,
      traceId: request.span?.traceId,
    };
    if (reply.statusCode >= 500) logger.error(line, 'request');
    else logger.info(line, 'request');
    done();
  });
}
