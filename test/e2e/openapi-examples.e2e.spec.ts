import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  items?: Schema;
  minimum?: number;
}
interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
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
