import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { Settings } from '#libs/core';
import { openApiDocument } from './document.js';

/** Serves the document at /v1/openapi.json and a reference to read and try at /docs. */
export function useOpenApi(app: NestFastifyApplication, settings: Settings): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app, settings), {
    jsonDocumentUrl: 'v1/openapi.json',
    yamlDocumentUrl: 'v1/openapi.yaml',
    customSiteTitle: 'Countinghouse API reference',
  });
}
