import type { FastifyRequest } from 'fastify';

/**
 * The kinds of requests that have separate limits: usage events, requests under `/v1/auth` and `/auth`, webhooks of payment gateways, and
 * all other requests.
 */
export type RequestKind = 'usage' | 'auth' | 'gateway' | 'other';

const INTAKE = ['/v1/events', '/v1/events/backfill'];
const GATEWAY_EVENTS = '/v1/gateways/stripe/events';

/** Returns the kind of a route, from its HTTP method and URL pattern. */
export function requestKindOfRoute(method: string, url: string): RequestKind {
  if (method === 'POST' && INTAKE.includes(url)) return 'usage';
  if (method === 'POST' && url === GATEWAY_EVENTS) return 'gateway';
  return /^(\/v1)?\/auth\//.test(url) ? 'auth' : 'other';
}

/** The kind of a request. The kind depends on the route and not on the URL, because one URL can be written in many ways. */
export function requestKindOf({ method, routeOptions }: FastifyRequest): RequestKind {
  return requestKindOfRoute(method, routeOptions.url ?? '');
}
