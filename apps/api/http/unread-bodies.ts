import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { BodyPieces } from './body-pieces.js';

/** How much is read of a body that is not wanted, and for how long. */
interface Most {
  readonly bytes: number;
  readonly millis: number;
}

const MOST: Most = { bytes: 33_554_432, millis: 5_000 };

/**
 * Lets a client read why its body is refused while it still writes it: the rest is read and thrown away before the connection is closed
 * or used again. Closed at once, the answer would be lost with it. A client that writes on beyond `most` is cut off.
 */
export function readOnBehindRefusals(fastify: FastifyInstance, most = MOST): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    if (reply.statusCode < 400 || typeof payload !== 'string' || raw.complete || !hasBody(raw))
      return done(null, payload);
    // With its length the answer is complete for the client, although it is not ended here yet.
    void reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(answerThen(payload, discard(raw, most))));
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

/** Reads a body to its end, or to where its client goes away. */
function discard(body: IncomingMessage, most: Most): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(() => body.destroy(), most.millis);
  let bytes = 0;
  const pieces = new BodyPieces();
  body.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > most.bytes || pieces.areTooSmallWith(piece)) body.destroy();
  });
  for (const over of ['end', 'close'])
    body.once(over, () => {
      clearTimeout(late);
      resolve();
    });
  body.resume();
  return promise;
}
