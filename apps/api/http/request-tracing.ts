import type { FastifyInstance, FastifyRequest } from 'fastify';
import { incomingTraceParent, isTracing, startSpan, type RunningSpan } from '#libs/kernel/telemetry';

declare module 'fastify' {
  interface FastifyRequest {
    /** The OpenTelemetry span of the request, if tracing is on. */
    span?: RunningSpan | undefined;
  }
}

/** Opens a span for every request, named after its route. The span continues the trace that the client sends. */
export function useRequestTracing(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  fastify.decorateRequest('span', undefined);
  fastify.addHook('onRequest', (request, _reply, done) => {
    request.span = startSpan(() => describe(request));
    done();
  });
  // This cannot start in onRequest: reading the body leaves the asynchronous context of that hook.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.runWithin(done);
    else done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const failed = reply.statusCode >= 500;
    request.span?.end({
      attributes: {
        'http.response.status_code': reply.statusCode,
        ...(failed ? { 'error.type': String(reply.statusCode) } : {}),
        ...(request.principal ? { 'countinghouse.workspace_id': request.principal.workspaceId } : {}),
      },
      failed,
    });
    done();
  });
}

/**
 * The names and attributes of spans follow OpenTelemetry's conventions for HTTP servers. The span does not contain the path, because the
 * path of an invoice link is a secret.
 */
function describe(request: FastifyRequest) {
  const { method, protocol, id, headers } = request;
  const route = request.routeOptions.url;
  return {
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server' as const,
    parent: incomingTraceParent(headers),
    attributes: {
      'http.request.method': method,
      'url.scheme': protocol,
      'countinghouse.request_id': id,
      ...(route === undefined ? {} : { 'http.route': route }),
    },
  };
}
