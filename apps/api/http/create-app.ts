import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { createLogger, newUlid, type Settings } from '#libs/kernel/system';
import { ApiModule } from '../api.module.js';
import { useResponseHeaders } from './response-headers.js';
import { refuseEncodings, useExactJson } from './body-parser.js';
import { refuseSmallPieces } from './body-piece-counter.js';
import { endConnectionsWhenClosing } from './closing-connections.js';
import { readQuery } from './query-parameter-guard.js';
import { checkCredentialsFirst, RequestAuthenticator, RouteAccess } from './auth/index.js';
import { answerUnroutableUrl, ErrorFilter } from './error.filter.js';
import { serveOpenApi } from './openapi/index.js';
import { enablePortalCors } from './portal-cors.js';
import { useRateLimits } from './rate-limit.js';
import { useRequestLog } from './request-log.js';
import { useRequestMetrics } from './request-metrics.js';
import { useRequestTracing } from './request-tracing.js';
import { refuseControlCharacters } from './path-parameters.js';
import { NestLogger } from '#libs/kernel/runtime';
import { requestTimeouts } from './request-timeouts.js';
import { answerUnreadableRequest } from './unreadable-requests.js';
import { drainRefusedBodies } from './refused-bodies.js';
import { createValidationPipe } from './validation.js';

/**
 * Creates the API application that runs in production; tests use the same application. The application does not listen for requests yet.
 */
export async function createApiApp(settings: Settings): Promise<NestFastifyApplication> {
  const logger = createLogger('api', settings.logLevel);
  const adapter = new FastifyAdapter({
    ...requestTimeouts(),
    bodyLimit: settings.bodyLimitBytes,
    genReqId: () => newUlid(),
    trustProxy: settings.trustProxy,
    forceCloseConnections: 'idle',
    frameworkErrors: answerUnroutableUrl,
    clientErrorHandler: answerUnreadableRequest,
    routerOptions: { maxParamLength: 512, querystringParser: readQuery },
  });
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.forRoot(settings), adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const fastify = adapter.getInstance();
  endConnectionsWhenClosing(fastify);
  useExactJson(fastify, settings);
  refuseControlCharacters(fastify);
  useResponseHeaders(fastify);
  drainRefusedBodies(fastify);
  useRequestLog(fastify, logger);
  useRequestMetrics(fastify);
  useRequestTracing(fastify);
  enablePortalCors(fastify);
  const access = app.get(RouteAccess);
  await useRateLimits(fastify, settings, (request) => {
    const rule = access.accessRuleFor(request);
    return rule !== undefined && !rule.public;
  });
  checkCredentialsFirst(fastify, access, app.get(RequestAuthenticator));
  refuseEncodings(fastify);
  refuseSmallPieces(fastify);
  app.useGlobalPipes(createValidationPipe());
  app.useGlobalFilters(new ErrorFilter(logger));
  serveOpenApi(app, settings);
  await app.init();
  await fastify.ready();
  return app;
}
