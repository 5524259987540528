import type { FastifyInstance } from 'fastify';
import { InvalidRequest } from '#libs/kernel/core';

/** So many are read of any body, however small they are. */
const MAX_SMALL_PIECES = 4_096;
/** What more of them have to hold on average. */
const PIECE_BYTES = 64;

/**
 * Counts the pieces in which a body comes: each costs the processor the same, with one byte or with thousands.
 * A million pieces of one byte take seconds, as a body that is large enough takes them nowhere.
 */
export class BodyChunks {
  private count = 0;
  private bytes = 0;

  /** Whether there are too many by now, for what is in them. */
  areTooSmallWith(piece: Buffer): boolean {
    this.count += 1;
    this.bytes += piece.length;
    return this.count > MAX_SMALL_PIECES && this.bytes < this.count * PIECE_BYTES;
  }
}

/** Refuses a body that comes in too many small pieces. After all hooks that wait for something: it begins to read. */
export function refuseSmallChunks(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', ({ raw }, _reply, _payload, done) => {
    const pieces = new BodyChunks();
    const look = (piece: Buffer): void => {
      if (!pieces.areTooSmallWith(piece)) return;
      raw.off('data', look);
      // Whoever reads the body takes it for the error of its source.
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
