import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, readRequestJson } from '#libs/kernel/core';
import { type Settings } from '#libs/kernel/system';
import { readUsageJson } from '#libs/usage';
import { hasBody } from './refused-bodies.js';
import { kindOf, kindOfRoute } from './request-kind.js';

/** More than any of them takes: bodies with credentials, and bodies of all the other endpoints but those for usage. */
const AUTH_BODY_BYTES = 16_384;
const BODY_BYTES = 1_048_576;

/** What is said of a body that is something else. */
export const NOT_JSON = 'Bodies are JSON: send Content-Type: application/json';

/**
 * Bodies are JSON with exact numbers. How large one may be, and its parts, depends on the endpoint: small where no credential is needed.
 * Beyond that it is refused before anything is made of it. An empty body is no body.
 */
export function useExactJson(fastify: FastifyInstance, settings: Settings): void {
  const { bodyLimitBytes, usageBatchLimit } = settings;
  fastify.addHook('onRoute', (route) => {
    switch (kindOfRoute(String(route.method), route.url)) {
      case 'usage':
        return;
      case 'auth':
        route.bodyLimit = AUTH_BODY_BYTES;
        return;
      case 'other':
        route.bodyLimit = Math.min(BODY_BYTES, bodyLimitBytes);
    }
  });
  const read = (request: FastifyRequest, text: string): unknown =>
    kindOf(request) === 'usage' ? readUsageJson(text, usageBatchLimit) : readRequestJson(text);
  fastify.removeContentTypeParser(['application/json', 'text/plain']);
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined);
    try {
      done(null, read(request, text as string));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** 415: a body of a kind that is not read here. */
export class UnsupportedMediaType extends AppError {
  readonly status = 415;

  /** `why`: what bodies have to be. */
  constructor(why = NOT_JSON) {
    super('unsupported_media_type', why);
  }
}

/** Refuses a body in an encoding: packed, it could be larger than what is measured. */
export function refuseEncodings(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() === 'identity' || !hasBody(request.raw)) return done();
    done(
      new UnsupportedMediaType('Bodies are taken as they are, without encoding: leave out Content-Encoding'),
    );
  });
}
