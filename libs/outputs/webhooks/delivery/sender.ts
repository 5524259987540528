import http from 'node:http';
import https from 'node:https';
import { elapsedSeconds } from '#libs/kernel/system';
import { guardedLookup, UnreachableTarget, type Resolve } from '../targets/guarded-lookup.js';
import { hostOf, objectionTo, reachable, type TargetRules } from '../targets/target.js';
import { readExcerpt } from './excerpt.js';

/** What came of one attempt. */
export interface Outcome {
  /** `null` if there was no answer. */
  statusCode: number | null;
  /** Why the attempt failed, where the status code does not say it. */
  error: string | null;
  durationMillis: number;
  /** The beginning of the answer's body. */
  response: string | null;
  /** The answer's `Retry-After` header. */
  retryAfter: string | undefined;
}

/** One POST that is to be made. */
export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface SenderOptions {
  /** From the first packet to the answer's status line. */
  timeoutMillis?: number;
  resolve?: Resolve;
  /** Which addresses a URL may be reached under. */
  mayConnect?: (url: URL) => (address: string) => boolean;
}

/** An answer within this time counts; it is part of the API contract. */
export const ACKNOWLEDGE_MILLIS = 8_000;

/** Whether the receiver has acknowledged: any 2xx in time. */
export function isAcknowledged({ statusCode }: Pick<Outcome, 'statusCode'>): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300;
}

/**
 * Posts to receivers. The address that is connected to is checked as part of connecting. Redirects are failures and never followed. Each
 * attempt has a connection of its own. So none fails on a connection that the receiver has just closed, and none goes to an address that
 * was checked long ago.
 */
export class Sender {
  private readonly timeoutMillis: number;
  private readonly resolve: Resolve | undefined;
  private readonly mayConnect: (url: URL) => (address: string) => boolean;

  constructor({ timeoutMillis = ACKNOWLEDGE_MILLIS, resolve, mayConnect = reachable }: SenderOptions = {}) {
    this.timeoutMillis = timeoutMillis;
    this.resolve = resolve;
    this.mayConnect = mayConnect;
  }

  /** Makes one attempt. Never rejects: whatever goes wrong is its outcome. */
  async post(post: Post, rules: TargetRules): Promise<Outcome> {
    const start = elapsedSeconds();
    // A socket is not looked up for an address that stands in the URL, so the URL itself is judged again.
    const objection = objectionTo(post.url, rules);
    const outcome =
      objection === undefined ? await this.exchange(post) : { ...NO_ANSWER, error: `The URL ${objection}` };
    return { ...outcome, durationMillis: Math.round((elapsedSeconds() - start) * 1_000) };
  }

  private exchange({ url: text, headers, body }: Post): Promise<Omit<Outcome, 'durationMillis'>> {
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
      const settle = (outcome: Omit<Outcome, 'durationMillis'>): void => {
        clearTimeout(timer);
        resolve(outcome);
        request.destroy();
      };
      const failed = (error: string): void => {
        // After the status line, what happens to the connection only cuts the excerpt short.
        if (!isAnswered) settle({ ...NO_ANSWER, error });
      };
      request.on('response', (response) => {
        isAnswered = true;
        void readExcerpt(response).then((excerpt) => settle(answered(response, excerpt)));
      });
      request.on('error', (error) => failed(reasonOf(error)));
      request.on('close', () => failed('The connection was closed without an answer'));
      request.end(body);
    });
  }
}

const NO_ANSWER = { statusCode: null, response: null, retryAfter: undefined };

function answered(response: http.IncomingMessage, excerpt: string): Omit<Outcome, 'durationMillis'> {
  const statusCode = response.statusCode ?? null;
  const isRedirect = statusCode !== null && statusCode >= 300 && statusCode < 400;
  return {
    statusCode,
    error: isRedirect ? 'Redirects are not followed; set the URL to the one that it leads to' : null,
    response: excerpt === '' ? null : excerpt,
    retryAfter: response.headers['retry-after'],
  };
}

/** In words, with the system's code where there is one. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof UnreachableTarget || error.code === undefined) return error.message;
  // Of several addresses that were tried, Node's error has only the code.
  const text = error.message === '' ? 'The connection failed' : error.message;
  return text.includes(error.code) ? text : `${text} (${error.code})`;
}
