import http from 'node:http';
import https from 'node:https';
import { guardedLookup } from './guarded-lookup.js';
import { hostOf, allowedAddressCheck, targetProblem, type TargetRules } from './target.js';

/** What {@link guardedFetch} sends. A guarded request has the same fields as a request of `fetch`. */
export interface GuardedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: text or form fields. Absent or null if the request has no body. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * The error for a request whose URL is not allowed, so that it was not sent. Also for a request whose answer is too large, or has an
 * unusable status or header.
 */
export class OutboundRequestRefused extends Error {}

/** The maximum size of an answer. The largest expected answers, the metadata and keys of an identity provider, have only some kilobytes. */
const MAX_ANSWER_BYTES = 1_000_000;
/** The statuses with which a `Response` takes no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends a request to a URL that a workspace has set, as `fetch` does. Connects only to addresses that `rules` allow, follows no redirect
 * and reads at most a megabyte. Rejects with {@link OutboundRequestRefused} for a URL that is not allowed and for an answer that is too
 * large or has a status outside 200 to 599. Rejects with `NoAllowedAddress` for a host name without an allowed address, and with the
 * system's error for other failures.
 */
export async function guardedFetch(
  text: string,
  { method, headers, body, signal }: GuardedRequest,
  rules: TargetRules,
): Promise<Response> {
  const problem = targetProblem(text, rules);
  if (problem !== undefined) throw new OutboundRequestRefused(`"${text}" ${problem}`);
  const url = new URL(text);
  const content = body === undefined || body === null ? undefined : bytesOf(body);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'http:' ? http : https).request({
      method,
      protocol: url.protocol,
      hostname: hostOf(url),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, ...(content ? { 'Content-Length': content.length } : {}) },
      // Each request opens its own connection, to an address that is checked now.
      agent: false,
      lookup: guardedLookup(allowedAddressCheck(url)),
      signal,
    });
    let isAnswered = false;
    request.on('error', reject);
    // No error follows if the receiver changes the protocol (status 101).
    request.on('close', () => {
      if (!isAnswered)
        reject(new OutboundRequestRefused(`"${text}" closed the connection without an answer`));
    });
    request.on('response', (response) => {
      isAnswered = true;
      const parts: Buffer[] = [];
      let size = 0;
      response.on('data', (part: Buffer) => {
        size += part.length;
        if (size > MAX_ANSWER_BYTES)
          request.destroy(new OutboundRequestRefused(`The answer of "${text}" is larger than a megabyte`));
        else parts.push(part);
      });
      response.on('error', reject);
      response.on('end', () => {
        // An error that an event handler throws would end the process.
        try {
          resolve(answerOf(response, Buffer.concat(parts)));
        } catch (error) {
          const { message } = error as Error;
          reject(new OutboundRequestRefused(`The answer of "${text}" cannot be used: ${message}`));
        }
      });
    });
    request.end(content);
  });
}

function bytesOf(body: unknown): Buffer {
  if (body instanceof URLSearchParams) return Buffer.from(body.toString());
  if (typeof body === 'string') return Buffer.from(body);
  throw new TypeError('A body must be text or form fields');
}

function answerOf({ statusCode = 0, headers }: http.IncomingMessage, body: Buffer): Response {
  const shown = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) shown.append(name, one);
  return new Response(WITHOUT_BODY.has(statusCode) ? null : new Uint8Array(body), {
    status: statusCode,
    headers: shown,
  });
}
