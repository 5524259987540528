import { mapInnerSchemas, referencedName, type Schema } from './schema.js';

/**
 * Converts a schema of the decorators (OpenAPI 3.0) to JSON Schema 2020-12. `example` becomes an entry of `examples`, and a description
 * moves beside a `$ref`. A number that is not an integer gets `format: decimal`, because the API keeps its exact value. Nullable fields are
 * not converted, because Nest already marks them in the form of JSON Schema 2020-12.
 */
export function toJsonSchema(old: Schema): Schema {
  const { example, ...rest } = mapInnerSchemas(besideReference(old), toJsonSchema);
  const schema: Schema = { ...rest, ...(example === undefined ? {} : { examples: [example] }) };
  if ([schema.type].flat().includes('number')) schema.format ??= 'decimal';
  return schema;
}

/** Takes a `$ref` out of its `allOf`. OpenAPI 3.0 allowed no fields beside a `$ref`, so Nest wraps the `$ref` in an `allOf`. */
function besideReference({ allOf, ...schema }: Schema): Schema {
  const [reference, ...others] = allOf ?? [];
  if (reference && others.length === 0 && referencedName(reference) !== undefined)
    return { ...schema, ...reference };
  return allOf ? { ...schema, allOf } : schema;
}
