import { ApiPropertyOptional } from '@nestjs/swagger';

const fieldsOf = new Map<new () => object, Set<string>>();

/** Remembers a field of a request, so that the OpenAPI document can show its default value. */
export function rememberField(shown: new () => object, field: string): void {
  fieldsOf.set(shown, (fieldsOf.get(shown) ?? new Set()).add(field));
}

/**
 * Adds the default values of fields to the OpenAPI document, from the initial values in their classes. Call this function before the
 * OpenAPI document is made from the decorators.
 */
export function describeDefaults(): void {
  for (const [shown, fields] of fieldsOf) {
    const values = new shown() as Record<string, unknown>;
    for (const field of fields)
      if (values[field] !== undefined)
        ApiPropertyOptional({ default: values[field] })(shown.prototype as object, field);
  }
}
