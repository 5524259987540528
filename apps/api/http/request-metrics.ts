import type { FastifyInstance } from 'fastify';
import { createCounter, createHistogram } from '#libs/kernel/telemetry';

const requests = createCounter('http_requests_total', 'Requests answered', ['method', 'route', 'status']);
const durations = createHistogram(
  'http_request_duration_seconds',
  'Time from the arrival of a request to the end of its answer',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  ['method', 'route'],
);

/**
 * Counts every response under the URL pattern of its route. All requests without a route share one time series, so unknown paths create no
 * new time series.
 */
export function useRequestMetrics(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    requests.inc({ method, route, status: reply.statusCode });
    durations.observe({ method, route }, reply.elapsedTime / 1_000);
    done();
  });
}
