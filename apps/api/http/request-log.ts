import type { FastifyInstance } from 'fastify';
import type { Logger } from '#libs/kernel/system';

/** The paths of pages whose URL contains a token, which is a credential. */
const TOKEN_IN_PATH = /^(\/i\/|\/auth\/[^/]*\/).*/;

/** Logs every request as one line, without its query or body. */
export function useRequestLog(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { principal, method } = request;
    const path = request.url.split('?')[0]!.replace(TOKEN_IN_PATH, '$1:token');
    const status = reply.statusCode;
    const line = {
      requestId: request.id,
      method,
      path,
      status,
      millis: Math.round(reply.elapsedTime * 10) / 10,
      workspaceId: principal?.workspaceId,
      traceId: request.span?.traceId,
    };
    const message = `${method} ${request.routeOptions.url ?? path} ${status}`;
    if (status >= 500) logger.error(line, message);
    else logger.info(line, message);
    done();
  });
}
