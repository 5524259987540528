import { InvalidRequest, TooLarge } from './errors.js';
import { scanJson, type JsonBounds } from './json-bounds.js';
import { findForbiddenKey, parseJson } from './json.js';

/** The limits of a request with named fields, which are higher than any field needs. Requests with usage events have other limits. */
export const REQUEST_BOUNDS: JsonBounds = {
  depth: 20,
  keys: 250,
  elements: 12_000,
  characters: 65_536,
  values: 20_000,
};

/**
 * Reads the JSON of a request, with exact numbers. Limits are checked before the text is parsed. Throws InvalidRequest if the text is
 * malformed (`malformed_json`) or exceeds `bounds`. Throws TooLarge if the total number of values in the text is too large.
 */
export function readBoundedJson(text: string, bounds: JsonBounds): unknown {
  const { exceeded: beyond, hasLongNumbers } = scanJson(text, bounds);
  if (beyond) {
    const { bound, field, message } = beyond;
    if (bound === 'values') throw new TooLarge('body_too_large', `The body ${message}`, [{ field, message }]);
    throw new InvalidRequest('validation_failed', `${field} ${message}`, [{ field, message }]);
  }
  try {
    return parseJson(text, hasLongNumbers);
  } catch (error) {
    throw new InvalidRequest('malformed_json', `The body is not JSON: ${(error as Error).message}`);
  }
}

/**
 * Like {@link readBoundedJson}, for a request with named fields. Also throws InvalidRequest for a `__proto__`, `constructor` or `prototype`
 * key, before other code reads the object.
 */
export function readRequestJson(text: string): unknown {
  const value = readBoundedJson(text, REQUEST_BOUNDS);
  const forbidden = findForbiddenKey(value, REQUEST_BOUNDS.depth);
  if (forbidden)
    throw new InvalidRequest('validation_failed', `${forbidden.field} ${forbidden.message}`, [forbidden]);
  return value;
}
