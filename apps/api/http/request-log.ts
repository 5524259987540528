import type { FastifyInstance } from 'fastify';
import type { Logger } from '#libs/kernel/system';

/** The paths of pages whose URL contains a token, which is a credential. */
const TOKEN_IN_PATH = /^(\/i\/|\/auth\/[^/]*\/).*/;

/** Returns the path of a request as it may be logged: without its query, which can have personal data, and without the token of a link. */
export function loggedPath(url: string): string {
  return url.split(/[?#]/, 1)[0]!.replace(TOKEN_IN_PATH, '$1:token');
}

/**
 * Logs every request as one line, without its query or body. A status from 500 is an error. A 503 with `Retry-After` is none: the request was
 * refused because of too much work, or was put off, which has a line of its own.
 */
export function useRequestLog(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { principal, method } = request;
    const path = loggedPath(request.url);
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
    const isPutOff = status === 503 && reply.hasHeader('Retry-After');
    if (status >= 500 && !isPutOff) logger.error(line, message);
    else logger.info(line, message);
    done();
  });
}
