/**
 * A schema of the OpenAPI document: JSON Schema 2020-12, as in OpenAPI 3.1. The decorators make OpenAPI 3.0 schemas, and
 * {@link toJsonSchema} converts them.
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

/** A request body, or a response with its headers and body. */
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

/** The parts of the OpenAPI document that this folder reads and changes. */
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

/** Returns the name of the component that a schema refers to, or undefined if the schema has no reference. */
export const referencedName = ({ $ref }: Schema): string | undefined => $ref?.slice(PREFIX.length);

/** Returns a copy of the schema, with `change` applied to each schema directly inside the schema. */
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

/** Returns the schemas directly inside a schema. */
export function innerSchemas(schema: Schema): Schema[] {
  const found: Schema[] = [];
  mapInnerSchemas(schema, (inner) => {
    found.push(inner);
    return inner;
  });
  return found;
}

/** Returns every operation of the OpenAPI document with its method and path. `paths` can also be the webhooks of the document. */
export function operationsIn(
  paths: Document['paths'],
): { method: string; path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}
