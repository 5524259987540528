import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BodyPieceCounter } from './body-piece-counter.js';

/** The limits for reading a refused body: the number of bytes, and the time. */
interface DiscardLimit {
  readonly bytes: number;
  readonly millis: number;
}

const DISCARD_LIMIT: DiscardLimit = { bytes: 33_554_432, millis: 5_000 };

/**
 * Lets a client that is still sending its body read the response that refuses the body. The rest of the body is read and discarded before
 * the connection is closed or reused. If the server closed the connection at once, the client would lose the response. A client that sends
 * more than `limit` is cut off.
 */
export function drainRefusedBodies(fastify: FastifyInstance, limit = DISCARD_LIMIT): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    if (reply.statusCode < 400 || typeof payload !== 'string' || raw.complete || !hasBody(raw))
      return done(null, payload);
    // The length in the header lets the client see that the response is complete, although the server has not ended the response yet.
    void reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(answerThen(payload, discard(raw, limit))));
  });
}

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

async function* answerThen(answer: string, work: Promise<void>): AsyncGenerator<string> {
  yield answer;
  await work;
}

/** Reads a body to its end, or until the client disconnects. */
function discard(body: IncomingMessage, limit: DiscardLimit): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(() => body.destroy(), limit.millis);
  let bytes = 0;
  const pieces = new BodyPieceCounter();
  body.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > limit.bytes || pieces.countAndCheck(piece)) body.destroy();
  });
  for (const over of ['end', 'close'])
    body.once(over, () => {
      clearTimeout(late);
      resolve();
    });
  body.resume();
  return promise;
}
