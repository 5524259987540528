import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLE_EVENTS } from '#libs/webhooks';
import { operationsOf, startSystem, type System, type TestWorkspace } from '../support/index.js';

/*
 * What /docs offers to try is made of the examples in the OpenAPI document. Each of them is sent: ids that it names may not
 * be there, but nothing may be wrong with it.
 */

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  example?: unknown;
  default?: unknown;
  enum?: unknown[];
  oneOf?: Schema[];
  allOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
}
interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
  'x-webhooks': Record<string, { post: { requestBody: { content: Record<string, WebhookContent> } } }>;
}
interface WebhookContent {
  schema: Schema & { properties: { event: Schema; data: Schema } };
  example: { event: string; data: Record<string, unknown> };
}

let system: System;
let workspace: TestWorkspace;
let document: Document;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  document = (await workspace.http.get('/v1/openapi.json').expect(200)).body;
});
afterAll(async () => system?.stop());

/** The example of a schema, put together as Swagger UI does where there is none for the whole. */
function exampleOf(schema: Schema): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.$ref) return exampleOf(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  if (schema.enum) return schema.enum[0];
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (first) return exampleOf(first);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(exampleOf));
  if (schema.type === 'array') return [exampleOf(schema.items ?? {})];
  if (schema.format === 'date-time') return '2026-01-01T00:00:00.000Z';
  if (schema.format === 'email') return 'user@example.com';
  const simple = {
    string: 'string',
    number: schema.minimum ?? 0,
    integer: schema.minimum ?? 0,
    boolean: true,
  };
  if (schema.type && schema.type in simple) return simple[schema.type as keyof typeof simple];
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property)]),
  );
}

describe('the example of every request body', () => {
  it('is one that passes', async () => {
    const refused: string[] = [];
    for (const { route, path, method } of operationsOf(document, {}).filter(({ takesBody }) => takesBody)) {
      const [, template] = route.split(' ');
      const { content } = document.paths[template!]![method]!.requestBody!;
      const example = exampleOf(content['application/json']!.schema) as object;
      const client = route.includes('/webhooks') ? workspace.session : workspace.http;
      const { status, body } = await client[method](path, example);
      if (status === 400) refused.push(`${route} ${JSON.stringify(example)}: ${body.error}`);
    }
    expect(refused).toEqual([]);
  });
});

describe('the webhooks of the document', () => {
  /** The fields of an object's schema, and those that it must have. */
  function fieldsOf(schema: Schema): { known: string[]; required: string[] } {
    if (schema.$ref) return fieldsOf(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
    const parts = (schema.allOf ?? []).map(fieldsOf);
    return {
      known: [...Object.keys(schema.properties ?? {}), ...parts.flatMap(({ known }) => known)],
      required: [...(schema.required ?? []), ...parts.flatMap(({ required }) => required)],
    };
  }

  it('are all events that are sent, each with a schema and an example that has its fields', () => {
    const webhooks = Object.entries(document['x-webhooks']);
    expect(webhooks.map(([name]) => name)).toEqual(expect.arrayContaining([...EXAMPLE_EVENTS]));
    expect(webhooks).toHaveLength(EXAMPLE_EVENTS.length);
    for (const [name, { post }] of webhooks) {
      const { schema, example } = post.requestBody.content['application/json']!;
      expect([schema.properties.event.enum, example.event]).toEqual([[name], name]);
      const { known, required } = fieldsOf(schema.properties.data);
      const given = Object.keys(example.data);
      expect({ name, unknown: given.filter((field) => !known.includes(field)) }).toEqual({
        name,
        unknown: [],
      });
      expect({ name, missing: required.filter((field) => !given.includes(field)) }).toEqual({
        name,
        missing: [],
      });
    }
  });
});
