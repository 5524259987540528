import type { FastifyServerOptions } from 'fastify';

/** The longest time in milliseconds from the beginning of a request until its body has arrived completely. */
export const REQUEST_MILLIS = 20_000;
/** How often Node looks for requests that take too long. Node's default of 30 seconds would more than double the time. */
const CHECKS_PER_TIMEOUT = 20;

/**
 * Returns the options of a server that ends requests which do not arrive in time, with `408 request_timeout`. Otherwise a client could hold
 * any number of connections with bodies that it sends in part.
 */
export function requestTimeouts(
  millis = REQUEST_MILLIS,
): Pick<FastifyServerOptions, 'requestTimeout'> & { http: object } {
  return {
    requestTimeout: millis,
    http: {
      requestTimeout: millis,
      headersTimeout: millis,
      connectionsCheckingInterval: Math.ceil(millis / CHECKS_PER_TIMEOUT),
    },
  };
}
