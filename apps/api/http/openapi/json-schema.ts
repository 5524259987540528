import { mapInnerSchemas, referencedName, type Schema } from './schema.js';

/**
 * Converts a schema of the decorators (OpenAPI 3.0) to JSON Schema 2020-12. `example` becomes one of `examples`, and a description stands
 * beside a reference. A number that is not an integer gets `format: decimal`, since it is exact. Nest already marks nullable fields.
 */
export function toJsonSchema(old: Schema): Schema {
  const { example, ...rest } = mapInnerSchemas(besideReference(old), toJsonSchema);
  const schema: Schema = { ...rest, ...(example === undefined ? {} : { examples: [example] }) };
  if ([schema.type].flat().includes('number')) schema.format ??= 'decimal';
  return schema;
}

/** Unpacks a reference. OpenAPI 3.0 allowed nothing beside a reference, so Nest wraps it in an `allOf`. */
function besideReference({ allOf, ...schema }: Schema): Schema {
  const [reference, ...others] = allOf ?? [];
  if (reference && others.length === 0 && referencedName(reference) !== undefined)
    return { ...schema, ...reference };
  return allOf ? { ...schema, allOf } : schema;
}
