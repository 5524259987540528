import type { FastifyInstance } from 'fastify';
import { NotFound } from '#libs/core';

/** A NUL and its kind, in no id of ours; Postgres would not even take the question. */
// eslint-disable-next-line no-control-regex -- these are the characters that are refused
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Paths with control characters lead nowhere, whichever route they are for. */
export function refuseControlCharacters(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    const values = Object.values((request.params ?? {}) as Record<string, string>);
    if (values.some((value) => CONTROL.test(value)))
      return done(new NotFound('not_found', 'There is nothing under this path'));
    done();
  });
}
