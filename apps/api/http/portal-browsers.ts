import cors from '@fastify/cors';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';

/** The paths that customers call from their browsers. The sessions themselves are made by servers, so browsers are not allowed to call those paths. */
const PORTAL = /^\/v1\/portal\/(?!sessions(?:[/?]|$))/;

/** The time for which a browser remembers that it may call a path. Chromium accepts no longer time. */
const REMEMBERED_SECONDS = 7_200;

const ALLOWED = {
  // Any origin: the token is in a header that no browser sends by itself, so a page without the token can do nothing.
  origin: '*',
  credentials: false,
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
  exposedHeaders: [
    ...['X-Request-Id', 'Retry-After', 'Idempotency-Replayed', 'Read-Models'],
    ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ],
  maxAge: REMEMBERED_SECONDS,
  strictPreflight: false,
};

/**
 * Lets browsers of any origin call the endpoints of the portal (CORS), and read their errors. Browsers must not store the answers. Other
 * endpoints are not opened. Call it before whatever refuses requests, so that a refusal can be read too.
 */
export function admitBrowsersToPortal(fastify: FastifyInstance): void {
  cors(hooksOfPortal(fastify), ALLOWED, (error) => {
    if (error) throw error;
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOfPortal(request.url)) void reply.header('Cache-Control', 'no-store');
    done();
  });
}

/** The server as a plugin sees it whose hooks only run for the portal. The plugin's own choice by request takes a twentieth of a small request. */
function hooksOfPortal(fastify: FastifyInstance): FastifyInstance {
  const addHook = (name: 'onRequest', hook: onRequestHookHandler) =>
    fastify.addHook(name, function (request, reply, done) {
      if (isOfPortal(request.url)) hook.call(this, request, reply, done);
      else done();
    });
  return Object.create(fastify, { addHook: { value: addHook } }) as FastifyInstance;
}

/** Whether a URL is that of an endpoint for customers. */
export function isOfPortal(url: string): boolean {
  return PORTAL.test(url);
}
