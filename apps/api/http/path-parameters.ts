import type { FastifyInstance } from 'fastify';
import { CONTROL_CHARACTER, NotFound } from '#libs/core';

/** Paths with control characters lead nowhere, whichever route they are for. */
export function refuseControlCharacters(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    const values = Object.values((request.params ?? {}) as Record<string, string>);
    if (values.some((value) => CONTROL_CHARACTER.test(value)))
      return done(new NotFound('not_found', 'There is nothing under this path'));
    done();
  });
}
