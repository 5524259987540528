import { apiFolders, TAG_GROUPS } from '../define-api.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '#libs/kernel/system';
import { addSecuritySchemes, describeSecurity } from '../auth/index.js';
import { describeErrorsAndHeaders } from './answers.js';
import { describeExamples } from './body-example.js';
import { customerDataViews, addCustomerDataExportSchema } from './customer-data.js';
import { describeDefaults } from './defaults.js';
import { separateRequestAndResponseSchemas } from './directions.js';
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

Any POST with a credential, and registration, may have an \`Idempotency-Key\`. The same request with the same key has no other effect. The
repeated request gets the first response again, marked \`Idempotency-Replayed: true\`. Errors are not stored: after an error, the request is
carried out again, also a corrected one. Nothing that was already done is done twice. A different request to the same path with that key is
refused with 409 \`idempotency_key_reused\`. Idempotency keys are unique within a workspace, for each method and path. For requests that
create an API key or a portal session, they are also separate for each API key and each user. In the portal, they are separate for each
customer.

## Lists

A list is \`{data, hasMore, next}\` with up to \`limit\` entries. To get the next page, send the \`next\` of this page as \`after\`. Each
page takes the same time, also far down the list. \`offset\` skips a number of entries instead. A larger \`offset\` takes longer.

## Errors

An error is \`{error, code, details?, requestId}\`.

## What may be added

Later versions may add fields to responses. They may also add values to a field whose schema lists known values and also allows any other
text. Requests with unknown fields are refused.`;

/**
 * Makes the OpenAPI 3.1 document of an application. Decorators describe the fields, limits and permissions that they check. This function
 * adds the parts that all operations have in common, such as errors and headers.
 */
export function openApiDocument(app: NestFastifyApplication, settings: Settings): OpenAPIObject {
  describeDefaults();
  const builder = addSecuritySchemes(new DocumentBuilder())
    .setOpenAPIVersion('3.1.0')
    .setTitle('Countinghouse API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addServer(settings.publicUrl ?? '/', 'The API that serves this document.');
  const made = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
    extraModels: [...customerDataViews().values()],
  });
  const document = describeSecurity(made) as unknown as Document;
  document.info['license'] = { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' };
  document.tags = tagsInOrder();
  describeWebhooks(document);
  addCustomerDataExportSchema(document);
  changeSchemas(document, toJsonSchema);
  describeFields(document);
  describeExamples(document);
  describeVariants(document);
  describeParameters(document);
  describeErrorsAndHeaders(document);
  separateRequestAndResponseSchemas(document);
  return document as unknown as OpenAPIObject;
}

/** Returns the OpenAPI tags that the folders of the API declare, in the order of the tag groups. */
function tagsInOrder(): { name: string; description: string }[] {
  const tags = apiFolders().flatMap((folder) => folder.tags);
  return TAG_GROUPS.flatMap((part) => tags.filter(({ group }) => group === part)).map(
    ({ name, description }) => ({
      name,
      description,
    }),
  );
}

/** Applies `change` to each top-level schema of the OpenAPI document. */
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
