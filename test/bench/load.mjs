import autocannon from 'autocannon';

/**
 * Sends requests over `connections` connections, one at a time on each, for `seconds`.
 *
 * @param {{ url: string, path: string, headers: object, connections: number, seconds: number, body: () => string }} options
 * @returns requests a second, latencies in ms, and how many were not answered with 2xx
 */
export async function load({ url, path, headers, connections, seconds, body }) {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [{ method: 'POST', path, headers, setupRequest: (request) => ({ ...request, body: body() }) }],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    answered: result['2xx'],
    failed: result.non2xx + result.errors + result.timeouts,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
