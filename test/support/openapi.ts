/** A schema of the OpenAPI document, as far as the tests look at it. */
export interface ApiSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  oneOf?: ApiSchema[];
  anyOf?: ApiSchema[];
  allOf?: ApiSchema[];
  properties?: Record<string, ApiSchema>;
  required?: string[];
  items?: ApiSchema;
  additionalProperties?: boolean | ApiSchema;
}

interface Content {
  schema?: ApiSchema;
  example?: unknown;
}

export interface ApiBody {
  $ref?: string;
  description?: string;
  required?: boolean;
  headers?: Record<string, { $ref?: string; description?: string; schema?: ApiSchema }>;
  content?: Record<string, Content>;
}

export interface ApiParameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: ApiSchema;
}

export interface ApiOperation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: object[];
  parameters?: ApiParameter[];
  requestBody?: ApiBody;
  responses: Record<string, ApiBody>;
}

export interface ApiDocument {
  openapi: string;
  tags: { name: string; description: string }[];
  servers: { url: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  webhooks: Record<string, { post: ApiOperation }>;
  components: {
    schemas: Record<string, ApiSchema>;
    responses: Record<string, ApiBody>;
    parameters: Record<string, ApiParameter & { description: string }>;
    headers: Record<string, { description: string; schema: ApiSchema }>;
  };
}

/** The schema that is referred to, or the schema itself. */
export function resolved(schema: ApiSchema, { components }: ApiDocument): ApiSchema {
  if (schema.$ref === undefined) return schema;
  const target = components.schemas[schema.$ref.replace('#/components/schemas/', '')];
  if (!target) throw new Error(`There is no ${schema.$ref}`);
  return target;
}

/** The schemas that stand right inside of one, with what leads to them. */
export function within(schema: ApiSchema): [path: string, schema: ApiSchema][] {
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [], allOf = [] } = schema;
  return [
    ...Object.entries(properties).map(([name, field]): [string, ApiSchema] => [`.${name}`, field]),
    ...(items ? [['[]', items] as [string, ApiSchema]] : []),
    ...(typeof additionalProperties === 'object'
      ? [['.*', additionalProperties] as [string, ApiSchema]]
      : []),
    ...[...oneOf, ...anyOf, ...allOf].map((one): [string, ApiSchema] => ['', one]),
  ];
}

/** The example of a schema, put together as a reference does where there is none for the whole. */
export function exampleOf(schema: ApiSchema, document: ApiDocument): unknown {
  const of = (one: ApiSchema): unknown => exampleOf(one, document);
  if (schema.examples) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (schema.$ref) return of(resolved(schema, document));
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (first) return of(first);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(of)) as object;
  if (schema.enum) return schema.enum[0];
  if (schema.items) return [of(schema.items)];
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, of(field)]));
}
