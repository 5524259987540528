/** The bounds of a number. `min` and `max` are allowed values; `above` and `below` are not. */
export interface NumberBounds {
  min?: number | undefined;
  above?: number | undefined;
  max?: number | undefined;
  below?: number | undefined;
}

/**
 * The schema of an exact number: `type` and bounds. Exclusive bounds are numbers as in JSON Schema 2020-12, not booleans as in OpenAPI 3.0.
 */
export function decimalSchema({ min, above, max, below }: NumberBounds = {}): { type: 'number' } {
  const bounds = { minimum: min, exclusiveMinimum: above, maximum: max, exclusiveMaximum: below };
  const given = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
  return { type: 'number', ...Object.fromEntries(given) };
}
