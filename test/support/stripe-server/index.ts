import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StripeLedger, type Happening } from './ledger.ts';
import { pageAt, type PageAnswer } from './pages.ts';
import { machineSeconds, readParameters, StripeError } from './parameters.ts';

export type { CardName } from './cards.ts';
export { machineSeconds } from './parameters.ts';
export { StripeLedger, type Intent } from './ledger.ts';

/**
 * The version of Stripe's API that the server follows. Before another version is written here, read in Stripe's changelog what it removes:
 * https://docs.stripe.com/changelog
 */
const API_VERSION = '2026-10-28.endive';
/** The secret key that the server accepts. */
export const STRIPE_KEY = 'sk_test_51loopback0000000001';
/** The secret that signs the webhooks of the server. */
export const STRIPE_WEBHOOK_SECRET = 'whsec_loopback00000001';

/**
 * A fault of the next request that matches. `drop`: the connection ends before anything is done. `cut`: the request is done, and the
 * connection ends without an answer. `hold`: the request is done, and the answer waits for `until`. A status: the request is refused.
 */
export type Fault = 'drop' | 'cut' | { hold: () => Promise<void> } | 401 | 429 | 500;

interface PlannedFault {
  readonly request: RegExp;
  readonly fault: Fault;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** A server on the loopback address that behaves as Stripe's API is documented, as far as Countinghouse uses it. It keeps its state. */
export class StripeServer {
  readonly ledger = new StripeLedger(() => this.pagesUrl ?? this.url);
  /** The address of the pages that customers see, if it is not that of the API. */
  pagesUrl: string | undefined;
  /** The requests in their order, such as `POST /v1/payment_intents`. */
  readonly requests: string[] = [];

  private readonly faults: PlannedFault[] = [];
  private answers = new Map<string, { request: string; answer: Answer | undefined }>();
  private readonly server = createServer((request, response) => void this.handle(request, response));
  private sent = 0;

  static async start(): Promise<StripeServer> {
    const stripe = new StripeServer();
    await new Promise<void>((resolve) => stripe.server.listen(0, '127.0.0.1', resolve));
    return stripe;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Plans a fault of the next request whose method and path match. Faults of one request come in the order in which they were planned. */
  plan(request: RegExp, fault: Fault): void {
    this.faults.push({ request, fault });
  }

  /** Plans a fault of the next two requests that match. Stripe's library sends a request once more if its connection is closed. */
  planTwice(request: RegExp, fault: Fault): void {
    this.plan(request, fault);
    this.plan(request, fault);
  }

  /** Stripe forgets idempotency keys after 24 hours. */
  forgetIdempotencyKeys(): void {
    this.answers = new Map();
  }

  /** The webhooks of what happened, oldest first. `from` is the number of the first happening. */
  webhooks(from = 0): Webhook[] {
    return this.ledger.happenings.slice(from).map((happening) => this.webhookOf(happening));
  }

  /** A webhook that was not sent before. */
  webhookOf({ type, object }: Happening): Webhook {
    const created = machineSeconds();
    const id = `evt_loopback${String(++this.sent).padStart(6, '0')}`;
    return signedWebhook(JSON.stringify({ id, object: 'event', type, created, data: { object } }));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = request.url!.split('?');
    const name = `${request.method} ${path}`;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const page = pageAt(this.ledger, request.method!, path, new URLSearchParams(text));
    if (page) return showPage(response, page);
    this.requests.push(name);
    // A request that gets an earlier answer again does nothing that could fail, so it leaves the fault to the next one.
    const isRepeated = this.answers.has(String(request.headers['idempotency-key']));
    const planned = this.faults.findIndex(
      (one) => one.request.test(name) && !(one.fault === 500 && isRepeated),
    );
    const fault = planned === -1 ? undefined : this.faults.splice(planned, 1)[0]!.fault;
    if (fault === 'drop') return void request.socket.destroy();
    const answer = this.answerOf(
      request,
      name,
      path,
      text || query,
      typeof fault === 'number' ? fault : undefined,
    );
    if (fault === 'cut') return void request.socket.destroy();
    if (typeof fault === 'object') await fault.hold();
    if (response.destroyed) return;
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'request-id': `req_${this.requests.length}`,
    });
    response.end(JSON.stringify(answer.body));
  }

  /** Answers a request. The first answer to an idempotency key is given again, also an error, unless the request was refused as wrong. */
  private answerOf(
    request: IncomingMessage,
    name: string,
    path: string,
    text: string,
    failure: 401 | 429 | 500 | undefined,
  ): Answer {
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}` || failure === 401)
      return refusal(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
    const version = request.headers['stripe-version'];
    if (version !== API_VERSION)
      return refusal(400, {
        type: 'invalid_request_error',
        message: `This server follows version ${API_VERSION} of Stripe's API, but the request is of version ${String(version)}`,
      });
    if (failure === 429)
      return refusal(429, {
        type: 'invalid_request_error',
        code: 'rate_limit',
        message: 'Too many requests',
      });
    const key = request.headers['idempotency-key'];
    const asked = `${name} ${text}`;
    const run = (): Answer =>
      failure === 500
        ? refusal(500, { type: 'api_error', message: 'An unknown error occurred' })
        : this.run(request.method!, path.slice('/v1'.length), text);
    if (typeof key !== 'string') return run();
    const known = this.answers.get(key);
    if (known && known.request !== asked)
      return refusal(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters. Key: ${key}`,
      });
    if (known?.answer) return known.answer;
    const answer = run();
    if (answer.status !== 400 && answer.status !== 404) this.answers.set(key, { request: asked, answer });
    return answer;
  }

  private run(method: string, path: string, text: string): Answer {
    try {
      return { status: 200, body: structuredClone(this.ledger.run(method, path, readParameters(text))) };
    } catch (error) {
      if (error instanceof StripeError) return refusal(error.status, error.error);
      throw error;
    }
  }
}

/** A webhook with its signature. */
export interface Webhook {
  readonly body: string;
  readonly signature: string;
}

/** Signs a webhook (docs.stripe.com/webhooks, "Verify webhook signatures manually"). */
export function signedWebhook(
  body: string,
  { secret = STRIPE_WEBHOOK_SECRET, at = machineSeconds() } = {},
): Webhook {
  const hash = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return { body, signature: `t=${at},v1=${hash}` };
}

function showPage(response: ServerResponse, page: PageAnswer): void {
  if ('location' in page) response.writeHead(303, { location: page.location }).end();
  else response.writeHead(200, { 'content-type': 'text/html' }).end(page.html);
}

function refusal(status: number, error: object): Answer {
  return { status, body: { error } };
}
