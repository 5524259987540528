import Stripe from 'stripe';
import type { ObservedOutages } from '#libs/kernel/telemetry';

/** The API of Stripe among all payment gateways. All workspaces use the same one. */
const STRIPE = 'stripe';
const FIRST_SERVER_ERROR = 500;
const TOO_MANY_REQUESTS = 429;
/** The errors after which Stripe's library sends the same request once more: the server closed the connection, as it may at any time. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;
type HttpResponse = Awaited<ReturnType<HttpClient['makeRequest']>>;

/**
 * The HTTP client of Stripe's library, with a report to operators whether Stripe works. Stripe does not work if it cannot be reached, gives
 * no answer in time, or answers with an error of its own (5xx) or with something else than JSON. Too many requests say neither.
 */
export function observedHttpClient(outages: ObservedOutages): HttpClient {
  const client = Stripe.createNodeHttpClient();
  /** The requests whose connection was closed at the first attempt. */
  const closed = new Set<string>();
  const makeRequest: HttpClient['makeRequest'] = async (host, port, path, method, headers, ...rest) => {
    const name = `${method} ${path} ${String(headers['Idempotency-Key'])}`;
    let response: HttpResponse;
    try {
      response = await client.makeRequest(host, port, path, method, headers, ...rest);
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!CLOSED.has(code) || closed.delete(name)) fail((error as Error).message);
      else closed.add(name);
      throw error;
    }
    closed.delete(name);
    return observed(response);
  };

  function observed(response: HttpResponse): HttpResponse {
    const status = response.getStatusCode();
    const read = response.toJSON.bind(response);
    response.toJSON = async () => {
      try {
        const answer = (await read()) as unknown;
        if (status >= FIRST_SERVER_ERROR) fail(`Stripe answered with the status ${status}`);
        else if (status !== TOO_MANY_REQUESTS) outages.worked(STRIPE);
        return answer;
      } catch (error) {
        fail((error as Error).message);
        throw error;
      }
    };
    return response;
  }

  function fail(error: string): void {
    outages.failed(STRIPE, { error });
  }

  return { getClientName: () => client.getClientName(), makeRequest };
}
