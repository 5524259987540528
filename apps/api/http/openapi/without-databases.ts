import { FastifyAdapter } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '#libs/kernel/system';
import { ApiModule } from '../../api.module.js';
import { openApiDocument } from './document.js';

/**
 * Placeholders for the required settings; no server has these addresses. The addresses are never used, because Nest only inspects the
 * application and creates no providers.
 */
const NOWHERE = {
  databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing',
  eventStoreUrl: 'esdb://127.0.0.1:1?tls=false',
  jwtSecret: 'a secret that signs nothing, since nothing runs',
};

/** Makes the OpenAPI document without a database or an event store. An API that runs with these settings serves the same document. */
export async function openApiDocumentWithoutDatabases(settings: Settings): Promise<OpenAPIObject> {
  const module = ApiModule.forRoot({ ...settings, ...NOWHERE });
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return openApiDocument(app, settings);
}
