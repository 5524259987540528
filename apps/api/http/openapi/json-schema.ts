import { changeInside, nameIn, type Schema } from './schema.js';

/**
 * A schema as the decorators make it, as JSON Schema 2020-12 has it: an example is one of `examples`, and a description stands beside a
 * reference. A number that is not whole is exact, which is `format: decimal`. Nest has said already what may be null.
 */
export function toJsonSchema(old: Schema): Schema {
  const { example, ...rest } = changeInside(besideReference(old), toJsonSchema);
  const schema: Schema = { ...rest, ...(example === undefined ? {} : { examples: [example] }) };
  if ([schema.type].flat().includes('number')) schema.format ??= 'decimal';
  return schema;
}

/** In 3.0 nothing could stand beside a reference, so that it was packed into an `allOf`. */
function besideReference({ allOf, ...schema }: Schema): Schema {
  const [reference, ...others] = allOf ?? [];
  if (reference && others.length === 0 && nameIn(reference) !== undefined) return { ...schema, ...reference };
  return allOf ? { ...schema, allOf } : schema;
}
