import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { describeExamples } from './body-example.js';
import { describeWebhooks } from './openapi-webhooks.js';
import { addSecuritySchemes, describeSecurity } from './auth/index.js';

/** The OpenAPI document of the running application. */
export function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Countinghouse API')
    .setDescription(
      'Usage-based and subscription billing. Send an API key as `Authorization: Bearer svc_…` or `x-api-key: svc_…`; ' +
        'users send their access token. Money and quantities are exact decimal numbers; timestamps are ISO 8601. ' +
        'Any POST may carry an `Idempotency-Key`: the same request with the same key gets the first answer again, marked ' +
        '`Idempotency-Replayed: true`, and has no other effect. Another request on the path with that key is refused with ' +
        '409 `idempotency_key_reused`. Lists are `{data, hasMore}`, of `limit` entries behind the first `offset`. Errors are `{error, code, details?, requestId}`.',
    )
    .setVersion('1');
  const document = SwaggerModule.createDocument(app, addSecuritySchemes(builder).build(), {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  return describeWebhooks(describeExamples(describeSecurity(document)));
}

/** Serves the document at /v1/openapi.json and a reference to read and try at /docs. */
export function useOpenApi(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'v1/openapi.json',
    yamlDocumentUrl: 'v1/openapi.yaml',
    customSiteTitle: 'Countinghouse API reference',
  });
}
