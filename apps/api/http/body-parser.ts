import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, InvalidRequest, readRequestJson } from '#libs/kernel/core';
import { type Settings } from '#libs/kernel/system';
import { readUsageJson } from '#libs/usage';
import { hasBody } from './refused-bodies.js';
import { requestKindOf, requestKindOfRoute } from './request-kind.js';

/**
 * The size limits in bytes for bodies under `/v1/auth`, and for all other bodies except usage events, lists of customers and webhooks of
 * payment gateways.
 */
const AUTH_BODY_BYTES = 16_384;
const BODY_BYTES = 1_048_576;
/** The size limit in bytes for bodies with a list of customers. 10,000 ids of 128 characters have 1.3 MB. */
const CUSTOMER_LIST_BODY_BYTES = 2_097_152;
const CUSTOMER_LIST_ROUTES = ['/v1/price-migrations', '/v1/price-migrations/preview'];
/**
 * The size limit in bytes for the webhooks that payment gateways send. A limit is needed, because anyone can send a request to these
 * endpoints. The limit is high enough, because the largest webhooks of Stripe have about ten kilobytes.
 */
const GATEWAY_BODY_BYTES = 262_144;

/** The error message for a body that is not JSON. */
export const NOT_JSON_MESSAGE = 'Bodies are JSON: send Content-Type: application/json';

/**
 * Reads bodies as JSON with exact numbers. The limits on a body and its parts depend on the endpoint. The limits are low for endpoints that
 * need no credential. A body over a limit is refused before it is parsed. A body that is not UTF-8 is refused too: otherwise U+FFFD would take
 * the place of each wrong byte, and two keys could become the same key. An empty body is treated as no body.
 */
export function useExactJson(fastify: FastifyInstance, settings: Settings): void {
  const { bodyLimitBytes, usageBatchLimit } = settings;
  fastify.addHook('onRoute', (route) => {
    switch (requestKindOfRoute(String(route.method), route.url)) {
      case 'usage':
        return;
      case 'auth':
        route.bodyLimit = AUTH_BODY_BYTES;
        return;
      case 'gateway':
        route.bodyLimit = GATEWAY_BODY_BYTES;
        return;
      case 'other':
        route.bodyLimit = Math.min(
          CUSTOMER_LIST_ROUTES.includes(route.url) ? CUSTOMER_LIST_BODY_BYTES : BODY_BYTES,
          bodyLimitBytes,
        );
    }
  });
  const read = (request: FastifyRequest, text: string): unknown => {
    switch (requestKindOf(request)) {
      case 'usage':
        return readUsageJson(text, usageBatchLimit);
      // The signature covers the exact text, so it is checked before the text is parsed.
      case 'gateway':
        return text;
      case 'auth':
      case 'other':
        return readRequestJson(text);
    }
  };
  fastify.removeContentTypeParser(['application/json', 'text/plain']);
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, read(request, textOfBody(body as Buffer)));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Returns the text of a body. Throws InvalidRequest (`body_not_utf8`) if the body is not UTF-8 (RFC 8259, section 8.1). */
export function textOfBody(body: Buffer): string {
  if (isUtf8(body)) return body.toString();
  throw new InvalidRequest('body_not_utf8', 'The body is not valid UTF-8; encode its text in UTF-8');
}

/** Error 415: the endpoint does not accept this kind of body. */
export class UnsupportedMediaType extends AppError {
  readonly status = 415;

  /** The parameter `why` is the error message, which tells the client which kind of body the endpoint accepts. */
  constructor(why = NOT_JSON_MESSAGE) {
    super('unsupported_media_type', why);
  }
}

/** Refuses a body with a content encoding: a compressed body could become larger than the size that was checked. */
export function refuseEncodings(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() === 'identity' || !hasBody(request.raw)) return done();
    done(
      new UnsupportedMediaType('Bodies are taken as they are, without encoding: leave out Content-Encoding'),
    );
  });
}
