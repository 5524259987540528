import { createHash } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Settings } from '#libs/kernel/system';
import { openApiDocument } from './document.js';
import { readGuides } from './guides.js';
import { CONTENT_SECURITY_POLICY, REFERENCE_PAGE, readScalarScript, START_SCRIPT } from './reference-page.js';

/**
 * The content of a route. The content is made once, at the first request, because some content takes long to make and anybody may request
 * it.
 */
interface Asset {
  readonly type: string;
  readonly encoding?: string;
  readonly make: () => Promise<Buffer | string> | string;
}

/**
 * Serves the OpenAPI document at /v1/openapi.json, and the API reference with the guides at /docs. Users can try requests on the page of
 * the API reference.
 */
export function serveOpenApi(app: NestFastifyApplication, settings: Settings): void {
  const document = onceMade(async () => openApiDocument(app, settings));
  const fastify = app.getHttpAdapter().getInstance();
  const serve = (path: string, { type, encoding, make }: Asset): void => {
    const asset = onceMade(async () => {
      const content = await make();
      return { content, tag: `"${createHash('sha256').update(content).digest('base64url')}"` };
    });
    fastify.get(path, async (request, reply) => {
      const { content, tag } = await asset();
      ofPage(reply).header('ETag', tag);
      if (request.headers['if-none-match'] === tag) return reply.code(304).send();
      if (encoding !== undefined) void reply.header('Content-Encoding', encoding);
      return reply.type(type).send(content);
    });
  };
  serve('/v1/openapi.json', {
    type: 'application/json; charset=utf-8',
    make: async () => JSON.stringify(await document()),
  });
  serve('/docs', { type: 'text/html; charset=utf-8', make: () => REFERENCE_PAGE });
  serve('/docs/start.js', { type: 'text/javascript', make: () => START_SCRIPT });
  serve('/docs/scalar.js', { type: 'text/javascript', encoding: 'gzip', make: readScalarScript });
  serve('/docs/openapi.json', {
    type: 'application/json; charset=utf-8',
    make: async () => JSON.stringify(await withGuides(await document()), withInclusiveBounds),
  });
}

/** Returns a function that makes a value at its first call, and makes the value again only after a failure. */
function onceMade<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

function ofPage(reply: FastifyReply): FastifyReply {
  return reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY).header('Cache-Control', 'no-cache');
}

/**
 * Adds the guides to the description of the document, because the API reference shows text only there. The requests that users try go to
 * the server that serves the page.
 */
async function withGuides(document: OpenAPIObject): Promise<object> {
  const { info } = document;
  const servers = [{ url: '/' }];
  return {
    ...document,
    servers,
    info: { ...info, description: `${info.description}\n\n${await readGuides()}` },
  };
}

/** Makes negative exclusive lower bounds inclusive, because Scalar wrongly reports negative exclusive bounds as errors. */
function withInclusiveBounds(_: string, value: unknown): unknown {
  const { exclusiveMinimum, ...others } = (value ?? {}) as { exclusiveMinimum?: unknown };
  if (typeof exclusiveMinimum !== 'number' || exclusiveMinimum >= 0) return value;
  return { ...others, minimum: exclusiveMinimum };
}
