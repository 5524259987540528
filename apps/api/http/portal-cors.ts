import cors from '@fastify/cors';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';

/**
 * The paths that customers call from their browsers. Servers create the portal sessions, so browsers are not allowed to call the paths of
 * portal sessions.
 */
const PORTAL = /^\/v1\/portal\/(?!sessions(?:[/?]|$))/;

/** The time for which a browser may cache the permission to call a path (CORS). Chromium accepts at most this time. */
const REMEMBERED_SECONDS = 7_200;

const ALLOWED = {
  // Any origin: the token is in a header that no browser sends by itself, so a page without the token can do nothing.
  origin: '*',
  credentials: false,
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
  exposedHeaders: [
    'X-Request-Id',
    'Retry-After',
    'Idempotency-Replayed',
    'Read-Models',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ],
  maxAge: REMEMBERED_SECONDS,
  strictPreflight: false,
};

/**
 * Lets browsers of any origin call the endpoints of the portal (CORS), and read their errors. Browsers must not store the responses of the
 * portal. The other endpoints of the API get no CORS headers. Call this function before the hooks that refuse requests, so that browsers
 * can also read the refusals.
 */
export function enablePortalCors(fastify: FastifyInstance): void {
  cors(hooksOfPortal(fastify), ALLOWED, (error) => {
    if (error) throw error;
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isPortalUrl(request.url)) void reply.header('Cache-Control', 'no-store');
    done();
  });
}

/**
 * Returns an object like `fastify`, except that hooks added through the object run only for requests of the portal. The CORS plugin can
 * also choose its options for each request, but this makes small requests 5 % slower.
 */
function hooksOfPortal(fastify: FastifyInstance): FastifyInstance {
  const addHook = (name: 'onRequest', hook: onRequestHookHandler) =>
    fastify.addHook(name, function (request, reply, done) {
      if (isPortalUrl(request.url)) hook.call(this, request, reply, done);
      else done();
    });
  return Object.create(fastify, { addHook: { value: addHook } }) as FastifyInstance;
}

/** Returns whether a URL belongs to a portal endpoint for customers. */
export function isPortalUrl(url: string): boolean {
  return PORTAL.test(url);
}
