import { isStorablePropertyText } from '../ingest/properties.js';
import { usageBounds } from '../usage-bounds.js';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Returns the error in a dot path to an event property, such as `model`, `response.tokens` or `items.0.price`; undefined if it is valid. A
 * dot path also finds a property whose name itself contains the dots.
 */
export function propertyPathProblem(path: unknown): string | undefined {
  const { pathLength, pathSegments } = usageBounds;
  if (typeof path !== 'string' || path === '' || path.length > pathLength)
    return `must be a property name or a dot path of 1 to ${pathLength} characters`;
  const segments = path.split('.');
  if (segments.length > pathSegments) return `must have at most ${pathSegments} segments`;
  if (segments.some((segment) => segment === '')) return 'must not have an empty segment';
  if (segments.some((segment) => FORBIDDEN.has(segment)))
    return 'must not have __proto__, constructor or prototype as a segment';
  if (!isStorablePropertyText(path)) return 'must be well-formed text without NUL';
  return undefined;
}
