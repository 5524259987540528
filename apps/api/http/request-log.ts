import { finished, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '#libs/kernel/system';

/** The paths of pages whose URL contains a token, which is a credential. */
const TOKEN_IN_PATH = /^(\/i\/|\/auth\/[^/]*\/).*/;

/** Returns the path of a request as it may be logged: without its query, which can have personal data, and without the token of a link. */
export function loggedPath(url: string): string {
  return url.split(/[?#]/, 1)[0]!.replace(TOKEN_IN_PATH, '$1:token');
}

/**
 * Logs every request as one line, without its query or body. A status from 500 is an error. A 503 with `Retry-After` is none: the request was
 * refused because of too much work, or was put off, which has a line of its own. If the body fails after the head was sent, the connection is
 * cut, and the line is a warning with the cause.
 */
export function useRequestLog(fastify: FastifyInstance, logger: Logger): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable)
      finished(payload, { writable: false }, (error) => {
        // Without a head, the failure is answered. A client that went away closes the body without a failure.
        if (!error || !reply.raw.headersSent || reply.raw.destroyed) return;
        const { line, message } = lineOf(request, reply);
        logger.warn({ ...line, error: error.message }, `${message}, cut off`);
      });
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { line, message } = lineOf(request, reply);
    const isPutOff = reply.statusCode === 503 && reply.hasHeader('Retry-After');
    if (reply.statusCode >= 500 && !isPutOff) logger.error(line, message);
    else logger.info(line, message);
    done();
  });
}

function lineOf(request: FastifyRequest, reply: FastifyReply) {
  const { principal, method } = request;
  const path = loggedPath(request.url);
  const status = reply.statusCode;
  return {
    line: {
      requestId: request.id,
      method,
      path,
      status,
      millis: Math.round(reply.elapsedTime * 10) / 10,
      workspaceId: principal?.workspaceId,
      traceId: request.span?.traceId,
    },
    message: `${method} ${request.routeOptions.url ?? path} ${status}`,
  };
}
