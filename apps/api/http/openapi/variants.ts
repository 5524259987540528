import { refTo, type Document, type Schema } from './schema.js';

/** One variant of an object whose fields depend on each other. Fields that no variant names belong to all variants. */
export interface Variant {
  /** The name of the variant's schema. */
  readonly name: string;
  readonly description?: string;
  /** The value of the discriminator for this variant. */
  readonly discriminatorValue?: string;
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  /** The fields that are present and null in this variant. */
  readonly nullFields?: readonly string[];
}

interface Variants {
  readonly discriminator?: string;
  readonly variants: readonly Variant[];
}

const registered = new Map<string, Variants>();

/**
 * Shows the class in the OpenAPI document as a choice between several variants. The value of the field `discriminator`, if there is one,
 * tells which variant an object is.
 */
export function OneOf(variants: readonly Variant[], discriminator?: string): ClassDecorator {
  return (shown) =>
    void registered.set(shown.name, { variants, ...(discriminator === undefined ? {} : { discriminator }) });
}

/** Adds a schema for each variant to the OpenAPI document. The schema of the class becomes a choice (`oneOf`) between the variants. */
export function describeVariants({ components: { schemas } }: Document): void {
  for (const [name, { variants, discriminator }] of registered) {
    const whole = schemas[name];
    if (!whole) continue;
    const named = new Set(
      variants.flatMap(({ required = [], optional = [], nullFields = [] }) => [
        ...required,
        ...optional,
        ...nullFields,
      ]),
    );
    for (const variant of variants) schemas[variant.name] = formOf(whole, variant, named, discriminator);
    const { description, examples } = whole;
    schemas[name] = {
      ...(description === undefined ? {} : { description }),
      oneOf: variants.map((variant) => refTo(variant.name)),
      ...(discriminator === undefined ? {} : { discriminator: discriminatorOf(discriminator, variants) }),
      ...(examples ? { examples } : {}),
    };
  }
}

function formOf(
  { properties = {}, required: always = [] }: Schema,
  { description, discriminatorValue: is, required = [], optional = [], nullFields = [] }: Variant,
  named: ReadonlySet<string>,
  discriminator?: string,
): Schema {
  const own = new Set([...required, ...optional, ...nullFields]);
  const fields = Object.entries(properties).filter(([field]) => own.has(field) || !named.has(field));
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    required: fields
      .map(([field]) => field)
      .filter(
        (field) =>
          required.includes(field) ||
          nullFields.includes(field) ||
          (always.includes(field) && !optional.includes(field)),
      ),
    properties: Object.fromEntries(
      fields.map(([field, schema]) => {
        // The type stays nullable: client generators drop a field of type null, and make types that do not compile for a number that is
        // always null.
        if (nullFields.includes(field)) return [field, { ...schema, examples: [null] }];
        if (field === discriminator)
          return [field, { ...said(schema), type: 'string', const: is, examples: [is] }];
        return [field, required.includes(field) ? neverNull(schema) : schema];
      }),
    ),
  };
}

const said = ({ description }: Schema): Schema => (description === undefined ? {} : { description });

/** Makes a schema non-nullable, for a field that the variant requires. */
function neverNull(schema: Schema): Schema {
  if (!Array.isArray(schema.type)) return schema;
  const [type] = schema.type.filter((one) => one !== 'null');
  return { ...schema, ...(type === undefined ? {} : { type }) };
}

function discriminatorOf(propertyName: string, variants: readonly Variant[]): Schema['discriminator'] {
  const mapping = variants.map(({ discriminatorValue: is, name }) => [is!, refTo(name).$ref!]);
  return { propertyName, mapping: Object.fromEntries(mapping) as Record<string, string> };
}
