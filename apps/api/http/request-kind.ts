import type { FastifyRequest } from 'fastify';

/** The kinds of requests that have limits of their own: usage that is sent, whatever is under `/v1/auth`, and the rest. */
export type RequestKind = 'usage' | 'auth' | 'other';

const INTAKE = ['/v1/events', '/v1/events/backfill'];

/** The kind of a route, by its method and the pattern of its URL. */
export function kindOfRoute(method: string, url: string): RequestKind {
  if (method === 'POST' && INTAKE.includes(url)) return 'usage';
  return url.startsWith('/v1/auth/') ? 'auth' : 'other';
}

/** The kind of a request, by its route: one URL can be written in many ways. */
export function kindOf({ method, routeOptions }: FastifyRequest): RequestKind {
  return kindOfRoute(method, routeOptions.url ?? '');
}
