import { InvalidRequest } from './errors.js';
import { findForbiddenKey, parseJson } from './json.js';

const MAX_DEPTH = 20;

/**
 * JSON as somebody sent it, with exact numbers. InvalidRequest if the text is malformed (`malformed_json`), or has a
 * `__proto__` key or deep nesting: refused here, before anything else looks at it.
 */
export function readRequestJson(text: string): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new InvalidRequest('malformed_json', `The body is not JSON: ${(error as Error).message}`);
  }
  const forbidden = findForbiddenKey(value, MAX_DEPTH);
  if (forbidden)
    throw new InvalidRequest('validation_failed', `${forbidden.field} ${forbidden.message}`, [forbidden]);
  return value;
}
