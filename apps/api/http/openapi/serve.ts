import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Settings } from '#libs/core';
import { openApiDocument } from './document.js';
import { readGuides } from './guides.js';
import { CONTENT_SECURITY_POLICY, PAGE, scalarScript, START } from './reference-page.js';

/** Serves the document at /v1/openapi.json and .yaml, and a reference with guides, to read and try, at /docs. */
export function useOpenApi(app: NestFastifyApplication, settings: Settings): void {
  const document = () => openApiDocument(app, settings);
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
      .send(JSON.stringify(await withGuides(document()))),
  );
}

function ofPage(reply: FastifyReply): FastifyReply {
  return reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY).header('Cache-Control', 'no-cache');
}

/** The guides stand in the description, which is where a reference shows text. What is tried goes to where the page comes from. */
async function withGuides(document: ReturnType<typeof openApiDocument>): Promise<object> {
  const { info } = document;
  const servers = [{ url: '/' }];
  return {
    ...document,
    servers,
    info: { ...info, description: `${info.description}\n\n${await readGuides()}` },
  };
}
