import { ExactNumber, findForbiddenKey } from '#libs/kernel/core';
import { RuleField, type FieldOptions } from './field.js';

/**
 * Key-value pairs that the client chooses: at most 50 keys of 64 characters, 5 levels and 16,384 characters as JSON. Every number must be
 * exact as a double.
 */
export function MetadataField(options: FieldOptions = {}): PropertyDecorator {
  return RuleField('isMetadata', { type: 'object', additionalProperties: true }, isMetadata, {
    ...options,
    message:
      'must be an object of at most 50 keys of up to 64 characters, 5 levels deep and 16,384 characters as JSON, with numbers that ' +
      'a double holds exactly (send others as text)',
  });
}

function isMetadata(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  if (keys.length > 50 || keys.some((key) => key.length > 64 || key === '')) return false;
  return (
    findForbiddenKey(value, 5) === undefined && !hasInexact(value) && JSON.stringify(value).length <= 16_384
  );
}

/**
 * Returns whether a value contains a number that is not exact as a double. Events and database rows store the numbers of metadata as
 * doubles, so an inexact number would change.
 */
function hasInexact(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexact);
}
