import type { FastifyInstance } from 'fastify';
import { InvalidRequest } from '#libs/kernel/core';

/** A body of at most this many pieces is accepted, even if the pieces are very small. */
const MAX_SMALL_PIECES = 4_096;
/** If a body has more than {@link MAX_SMALL_PIECES} pieces, the pieces must have at least this many bytes on average. */
const PIECE_BYTES = 64;

/**
 * Counts the pieces in which a body arrives. A piece costs the processor the same time whether it holds one byte or thousands. A million
 * pieces of one byte take seconds to process, far longer than a large body in large pieces.
 */
export class BodyPieceCounter {
  private count = 0;
  private bytes = 0;

  /** Counts the next piece. Returns whether the body now has too many pieces for its size. */
  countAndCheck(piece: Buffer): boolean {
    this.count += 1;
    this.bytes += piece.length;
    return this.count > MAX_SMALL_PIECES && this.bytes < this.count * PIECE_BYTES;
  }
}

/**
 * Refuses a body that arrives in too many small pieces. Call this function after all asynchronous hooks were added, because the hook that
 * it adds starts to read the body.
 */
export function refuseSmallPieces(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', ({ raw }, _reply, _payload, done) => {
    const pieces = new BodyPieceCounter();
    const look = (piece: Buffer): void => {
      if (!pieces.countAndCheck(piece)) return;
      raw.off('data', look);
      // The reader of the body treats this as an error of the stream.
      raw.emit('error', tooSmall());
    };
    raw.on('data', look);
    done();
  });
}

function tooSmall(): InvalidRequest {
  return new InvalidRequest(
    'body_in_small_pieces',
    `The body comes in more than ${MAX_SMALL_PIECES} pieces of less than ${PIECE_BYTES} bytes on average; write larger ones`,
  );
}
