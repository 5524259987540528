import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type FieldError } from '#libs/kernel/core';

/** Returns `current` with the given `changes`. The result is undefined if the changes make no difference. */
export function withChanges<Details extends object>(
  current: Details,
  changes: Partial<Details>,
): Details | undefined {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const changed = { ...current, ...Object.fromEntries(given) };
  return isDeepStrictEqual(changed, current) ? undefined : changed;
}

/** Returns a 400 error that names every wrong field. */
export function invalidFieldsError(errors: FieldError[]): InvalidRequest {
  const message = errors.map((error) => `${error.field} ${error.message}`).join('; ');
  return new InvalidRequest('validation_failed', message, errors);
}
