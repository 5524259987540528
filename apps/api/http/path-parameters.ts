import type { FastifyInstance } from 'fastify';
import { CONTROL_CHARACTER, NotFound } from '#libs/kernel/core';

/** Answers 404 for a path with control characters, on every route except the pages under `/i/` and `/auth/`. */
export function refuseControlCharacters(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => {
    // These pages answer unknown addresses with a page of their own.
    if (/^\/(i|auth)\//.test(request.url)) return done();
    const parameters = Object.entries((request.params ?? {}) as Record<string, string>);
    const wrong = parameters.filter(([, value]) => CONTROL_CHARACTER.test(value));
    if (wrong.length === 0) return done();
    const details = wrong.map(([field]) => ({ field, message: 'must not have control characters' }));
    done(new NotFound('not_found', 'There is nothing under this path', details));
  });
}
