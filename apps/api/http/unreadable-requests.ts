import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newUlid } from '#libs/kernel/system';
import type { ErrorBody } from './error.filter.js';

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

/** The error response for a request that cannot be read, by Node's error code. */
const KNOWN: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    error: `The headers are larger than ${maxHeaderSize} bytes, the most that is taken`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    error: 'The request did not arrive in time',
  },
};
const MALFORMED: Refusal = { status: 400, code: 'bad_request', error: 'The request is not valid HTTP' };

/**
 * Answers a request that is not HTTP, or does not arrive completely in time, and closes the connection. The body of the response is the
 * common error body. No route or exception filter can answer, because no request object exists yet.
 */
export function answerUnreadableRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, ...refusal } = KNOWN[error.code ?? ''] ?? MALFORMED;
  const requestId = newUlid();
  const body = JSON.stringify({ ...refusal, requestId } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
