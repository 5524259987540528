import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Settings } from '#libs/core';
import { openApiDocument } from './document.js';
import { readGuides } from './guides.js';
import { CONTENT_SECURITY_POLICY, PAGE, scalarScript, START } from './reference-page.js';

/** Serves the document at /v1/openapi.json and .yaml, and a reference with guides, to read and try, at /docs. */
export function useOpenApi(app: NestFastifyApplication, settings: Settings): void {
  // Each is made once, when it is first asked for: anybody may ask, and to make it takes long.
  let made: OpenAPIObject | undefined;
  let shown: Promise<string> | undefined;
  const document = () => (made ??= openApiDocument(app, settings));
  const documentShown = () => (shown ??= withGuides(document()).then((whole) => JSON.stringify(whole)));
  SwaggerModule.setup('docs', app, document, {
    ui: false,
    jsonDocumentUrl: 'v1/openapi.json',
    yamlDocumentUrl: 'v1/openapi.yaml',
  });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get('/docs', async (_, reply) => ofPage(reply).type('text/html; charset=utf-8').send(PAGE));
  fastify.get('/docs/start.js', async (_, reply) => ofPage(reply).type('text/javascript').send(START));
  fastify.get('/docs/scalar.js', async (_, reply) =>
    ofPage(reply)
      .type('text/javascript')
      .header('Content-Encoding', 'gzip')
      .send(await scalarScript()),
  );
  fastify.get('/docs/openapi.json', async (_, reply) =>
    ofPage(reply)
      .type('application/json')
      .send(await documentShown()),
  );
}

function ofPage(reply: FastifyReply): FastifyReply {
  return reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY).header('Cache-Control', 'no-cache');
}

/** The guides stand in the description, which is where a reference shows text. What is tried goes to where the page comes from. */
async function withGuides(document: OpenAPIObject): Promise<object> {
  const { info } = document;
  const servers = [{ url: '/' }];
  return {
    ...document,
    servers,
    info: { ...info, description: `${info.description}\n\n${await readGuides()}` },
  };
}
