import http from 'node:http';
import https from 'node:https';
import {
  guardedLookup,
  hostOf,
  allowedAddressCheck,
  targetProblem,
  NoAllowedAddress,
  type ResolveHostName,
  type TargetRules,
} from '#libs/kernel/outbound';
import { monotonicSeconds } from '#libs/kernel/system';
import { readExcerpt } from './excerpt.js';

/** The outcome of one attempt. */
export interface AttemptOutcome {
  /** The status code of the response; `null` if no response came. */
  statusCode: number | null;
  /** The reason for a failure, if the status code does not give it. */
  error: string | null;
  durationMillis: number;
  /** The beginning of the response body; null if there was none. */
  response: string | null;
  /** The `Retry-After` header of the response. */
  retryAfter: string | undefined;
}

/** A POST request to send. */
export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Settings of a {@link WebhookSender}; tests replace them. */
export interface WebhookSenderOptions {
  /** The time limit, from the start of the attempt (with the lookup of the host name) to the status line of the response. */
  timeoutMillis?: number;
  /** Looks up the IP addresses of a host name. If absent, the resolver of the system is used. */
  resolve?: ResolveHostName;
  /** Returns a function that tells whether an IP address may be used for a URL. */
  mayConnect?: (url: URL) => (address: string) => boolean;
}

/** The status line of a response must arrive within this time. The time limit of a response is part of the API contract. */
export const ACKNOWLEDGE_TIMEOUT_MILLIS = 8_000;

/** Tells whether the receiver acknowledged the request: with any 2xx status in time. */
export function isAcknowledged({ statusCode }: Pick<AttemptOutcome, 'statusCode'>): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

/**
 * Sends POST requests to receivers. The IP address of a receiver is checked at the moment of connecting. A redirect is a failure and is
 * never followed. Each attempt opens its own connection. An attempt therefore never uses a connection that the receiver has closed, or an
 * address that was checked long ago.
 */
export class WebhookSender {
  private readonly timeoutMillis: number;
  private readonly resolve: ResolveHostName | undefined;
  private readonly mayConnect: (url: URL) => (address: string) => boolean;

  constructor({
    timeoutMillis = ACKNOWLEDGE_TIMEOUT_MILLIS,
    resolve,
    mayConnect = allowedAddressCheck,
  }: WebhookSenderOptions = {}) {
    this.timeoutMillis = timeoutMillis;
    this.resolve = resolve;
    this.mayConnect = mayConnect;
  }

  /** Makes one attempt. The promise never rejects, because an error is returned as an outcome. */
  async send(post: PostRequest, rules: TargetRules): Promise<AttemptOutcome> {
    const start = monotonicSeconds();
    // A socket does no lookup for an address in the URL itself, so the URL is checked again.
    const objection = targetProblem(post.url, rules);
    const outcome =
      objection === undefined ? await this.exchange(post) : { ...NO_ANSWER, error: `The URL ${objection}` };
    return { ...outcome, durationMillis: Math.round((monotonicSeconds() - start) * 1_000) };
  }

  private exchange({
    url: text,
    headers,
    body,
  }: PostRequest): Promise<Omit<AttemptOutcome, 'durationMillis'>> {
    const url = new URL(text);
    return new Promise((resolve) => {
      const request = (url.protocol === 'http:' ? http : https).request({
        method: 'POST',
        protocol: url.protocol,
        hostname: hostOf(url),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        agent: false,
        lookup: guardedLookup(this.mayConnect(url), this.resolve),
      });
      const timer = setTimeout(() => {
        request.destroy(new Error(`No answer within ${this.timeoutMillis / 1_000} seconds`));
      }, this.timeoutMillis);
      let isAnswered = false;
      const settle = (outcome: Omit<AttemptOutcome, 'durationMillis'>): void => {
        clearTimeout(timer);
        resolve(outcome);
        request.destroy();
      };
      const failed = (error: string): void => {
        // After the status line, a connection error only shortens the excerpt.
        if (!isAnswered) settle({ ...NO_ANSWER, error });
      };
      request.on('response', (response) => {
        isAnswered = true;
        void readExcerpt(response).then((excerpt) => settle(answered(response, excerpt)));
      });
      request.on('error', (error) => failed(reasonOf(error)));
      request.on('close', () => failed('The connection was closed without a response'));
      request.end(body);
    });
  }
}

const NO_ANSWER = { statusCode: null, response: null, retryAfter: undefined };

function answered(response: http.IncomingMessage, excerpt: string): Omit<AttemptOutcome, 'durationMillis'> {
  const statusCode = response.statusCode ?? null;
  const isRedirect = statusCode !== null && statusCode >= 300 && statusCode < 400;
  return {
    statusCode,
    error: isRedirect ? 'Redirects are not followed; set the webhook to the URL that it leads to' : null,
    response: excerpt === '' ? null : excerpt,
    retryAfter: response.headers['retry-after'],
  };
}

/** The reason for a failed request in words, with the system's error code if there is one. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof NoAllowedAddress || error.code === undefined) return error.message;
  // If several addresses were tried, Node's error has only the code.
  const text = error.message === '' ? 'The connection failed' : error.message;
  return text.includes(error.code) ? text : `${text} (${error.code})`;
}
