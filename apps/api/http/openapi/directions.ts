import {
  mapInnerSchemas,
  innerSchemas,
  referencedName,
  operationsIn,
  refTo,
  type Body,
  type Document,
  type Schema,
} from './schema.js';

/**
 * Separates the schemas of requests from the schemas of responses. The schema of a request is closed: unknown fields and values outside an
 * enum are refused. The schema of a response is open: later versions may add fields and enum values. A class that requests and responses
 * use gets two schemas; the schema for requests is called `…Body`. A schema that no request and no response uses is left out.
 */
export function separateRequestAndResponseSchemas(document: Document): void {
  const { schemas } = document.components;
  const operations = operationsIn(document.paths).map(({ operation }) => operation);
  const webhooks = operationsIn(document.webhooks).map(({ operation }) => operation);
  const requests = operations.flatMap(({ requestBody }) => (requestBody ? [requestBody] : []));
  const answers = [
    ...operations.flatMap(({ responses }) => Object.values(responses)),
    ...webhooks.flatMap(({ requestBody }) => (requestBody ? [requestBody] : [])),
    ...Object.values(document.components.responses),
  ];
  const sent = namesReached(requests, schemas);
  const answered = namesReached(answers, schemas);
  const renamed = new Map(
    [...sent].filter((name) => answered.has(name)).map((name) => [name, bodyNameOf(name)]),
  );
  for (const [name, body] of renamed)
    if (schemas[body])
      throw new Error(`${name} is in requests and in answers, and ${body} is another schema`);

  const request = (schema: Schema): Schema => closed(referring(schema, renamed));
  document.components.schemas = Object.fromEntries(
    [
      ...[...sent].map((name) => [renamed.get(name) ?? name, request(schemas[name]!)] as const),
      ...[...answered].map((name) => [name, open(schemas[name]!)] as const),
    ].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  changeContents(requests, request);
  changeContents(answers, open);
}

function bodyNameOf(name: string): string {
  return `${name.replace(/View$/, '')}Body`;
}

/** Returns the names of all schemas that the given bodies refer to, directly or through other schemas. */
function namesReached(bodies: readonly Body[], schemas: Readonly<Record<string, Schema>>): Set<string> {
  const names = new Set<string>();
  const visit = (schema: Schema): void => {
    const name = referencedName(schema);
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      visit(schemas[name] ?? missing(name));
    }
    innerSchemas(schema).forEach(visit);
  };
  for (const { content = {} } of bodies)
    for (const { schema } of Object.values(content)) if (schema) visit(schema);
  return names;
}

function missing(name: string): never {
  throw new Error(`No schema is called ${name}`);
}

function changeContents(bodies: readonly Body[], change: (schema: Schema) => Schema): void {
  for (const { content = {} } of bodies)
    for (const one of Object.values(content)) if (one.schema) one.schema = change(one.schema);
}

function referring(schema: Schema, renamed: ReadonlyMap<string, string>): Schema {
  const changed = mapInnerSchemas(schema, (inner) => referring(inner, renamed));
  const name = referencedName(schema);
  const { discriminator } = schema;
  if (discriminator)
    changed.discriminator = {
      ...discriminator,
      mapping: Object.fromEntries(
        Object.entries(discriminator.mapping).map(([value, $ref]) => {
          const mapped = referencedName({ $ref })!;
          return [value, refTo(renamed.get(mapped) ?? mapped).$ref!];
        }),
      ),
    };
  return name === undefined ? changed : { ...changed, ...refTo(renamed.get(name) ?? name) };
}

function closed(schema: Schema): Schema {
  const changed = mapInnerSchemas(schema, closed);
  return schema.properties && schema.additionalProperties === undefined
    ? { ...changed, additionalProperties: false }
    : changed;
}

function open(schema: Schema): Schema {
  const { type, enum: values, ...others } = mapInnerSchemas(schema, open);
  if (!values) return { ...(type === undefined ? {} : { type }), ...others };
  const known = values.filter((value) => value !== null);
  return { ...others, anyOf: [{ type: 'string', enum: known }, { type }] };
}
