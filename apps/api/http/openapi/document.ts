import { apiFolders, TAG_GROUPS } from '../define-api.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '#libs/kernel/system';
import { addSecuritySchemes, describeSecurity } from '../auth/index.js';
import { describeAnswers } from './answers.js';
import { describeExamples } from './body-example.js';
import { describeDefaults } from './defaults.js';
import { separateDirections } from './directions.js';
import { toJsonSchema } from './json-schema.js';
import { describeParameters } from './parameters.js';
import { operationsIn, type Document, type Schema } from './schema.js';
import { describeVariants } from './variants.js';
import { describeFields } from './vocabulary.js';
import { describeWebhooks } from './webhooks.js';

const DESCRIPTION = `Usage-based and subscription billing.

# Requests and answers

## Credentials

Send an API key as \`Authorization: Bearer svc_…\` or \`x-api-key: svc_…\`; users send their access token.

## Numbers and times

Money and quantities are exact decimal numbers (\`format: decimal\`), so read them without going through a double. Timestamps are ISO 8601.

## Requests sent twice

Any POST with a credential, and registration, may carry an \`Idempotency-Key\`: the same request with the same key gets the first answer again, marked
\`Idempotency-Replayed: true\`, and has no other effect. Another request on the path with that key is refused with 409 \`idempotency_key_reused\`.

## Lists

Lists are \`{data, hasMore, next}\`, of \`limit\` entries. The page behind one is asked for with \`after\`, which is the \`next\` of that one: it costs
the same however far down the list it is. \`offset\` leaves out as many entries instead, and takes the longer the more these are.

## Errors

Errors are \`{error, code, details?, requestId}\`.

## What may be added

Answers can get further fields, and further values where a list of them is followed by any text. Requests with unknown fields are refused.`;

/**
 * The OpenAPI document of an application: 3.1. What is said of fields, limits and permissions comes from the decorators that check them;
 * what holds for all of them is added here.
 */
export function openApiDocument(app: NestFastifyApplication, settings: Settings): OpenAPIObject {
  describeDefaults();
  const builder = addSecuritySchemes(new DocumentBuilder())
    .setOpenAPIVersion('3.1.0')
    .setTitle('Countinghouse API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addServer(settings.publicUrl ?? '/', 'The API that this document comes from.');
  const made = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  const document = describeSecurity(made) as unknown as Document;
  document.info['license'] = { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' };
  document.tags = tagsInOrder();
  describeWebhooks(document);
  changeSchemas(document, toJsonSchema);
  describeFields(document);
  describeExamples(document);
  describeVariants(document);
  describeParameters(document);
  describeAnswers(document);
  separateDirections(document);
  return document as unknown as OpenAPIObject;
}

/** Those of all folders, part by part. */
function tagsInOrder(): { name: string; description: string }[] {
  const tags = apiFolders().flatMap((folder) => folder.tags);
  return TAG_GROUPS.flatMap((part) => tags.filter(({ group }) => group === part)).map(
    ({ name, description }) => ({
      name,
      description,
    }),
  );
}

/** Changes each schema of the document that stands in no other. */
function changeSchemas(document: Document, change: (schema: Schema) => Schema): void {
  const { components, paths, webhooks } = document;
  for (const [name, schema] of Object.entries(components.schemas)) components.schemas[name] = change(schema);
  for (const { operation } of [...operationsIn(paths), ...operationsIn(webhooks)]) {
    const { parameters = [], requestBody, responses } = operation;
    const contents = [requestBody, ...Object.values(responses)].flatMap((body) =>
      Object.values(body?.content ?? {}),
    );
    for (const holder of [...parameters, ...contents])
      if (holder.schema) holder.schema = change(holder.schema);
  }
}
