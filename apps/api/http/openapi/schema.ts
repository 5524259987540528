/**
 * A schema of the document: JSON Schema 2020-12, as in OpenAPI 3.1. The decorators make schemas of OpenAPI 3.0, which {@link toJsonSchema}
 * converts.
 */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  title?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  [keyword: string]: unknown;
}

/** A header, a parameter, or the content of a body for one media type. */
export interface DescribedPart {
  $ref?: string;
  name?: string;
  in?: string;
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
}

export interface Body {
  $ref?: string;
  description?: string;
  required?: boolean;
  headers?: Record<string, DescribedPart>;
  content?: Record<string, DescribedPart>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: DescribedPart[];
  requestBody?: Body;
  responses: Record<string, Body>;
  [extension: `x-${string}`]: unknown;
}

/** The parts of the document that this folder reads and changes. */
export interface Document {
  openapi: string;
  info: Record<string, unknown>;
  servers?: { url: string; description?: string }[];
  tags?: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Body>;
    parameters: Record<string, DescribedPart>;
    headers: Record<string, DescribedPart>;
    securitySchemes?: Record<string, object>;
  };
}

const PREFIX = '#/components/schemas/';

export const refTo = (name: string): Schema => ({ $ref: `${PREFIX}${name}` });

/** The name of the component that a schema refers to; undefined if it refers to none. */
export const referencedName = ({ $ref }: Schema): string | undefined => $ref?.slice(PREFIX.length);

/** A copy of the schema, with `change` applied to each schema directly inside it. */
export function mapInnerSchemas(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const changed: Schema = { ...schema };
  for (const keyword of ['oneOf', 'anyOf', 'allOf'] as const)
    if (schema[keyword]) changed[keyword] = schema[keyword].map(change);
  if (schema.items) changed.items = change(schema.items);
  if (typeof schema.additionalProperties === 'object')
    changed.additionalProperties = change(schema.additionalProperties);
  if (schema.properties)
    changed.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, change(property)]),
    );
  return changed;
}

/** The schemas directly inside a schema. */
export function innerSchemas(schema: Schema): Schema[] {
  const found: Schema[] = [];
  mapInnerSchemas(schema, (inner) => {
    found.push(inner);
    return inner;
  });
  return found;
}

/** Every operation of the document with its method and path. `paths` can also be the webhooks. */
export function operationsIn(
  paths: Document['paths'],
): { method: string; path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}
