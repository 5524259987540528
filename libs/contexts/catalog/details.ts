import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type FieldError, type NameTranslations } from '#libs/kernel/core';

/** Returns `current` with the given `changes`. The result is undefined if the changes make no difference. */
export function withChanges<Details extends object>(
  current: Details,
  changes: Partial<Details>,
): Details | undefined {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const changed = { ...current, ...Object.fromEntries(given) };
  return isDeepStrictEqual(changed, current) ? undefined : changed;
}

/** Removes empty `nameTranslations` from the changes of a resource that has none, because this change would have no effect. */
export function withoutUnchangedTranslations<
  Changes extends { nameTranslations?: NameTranslations | undefined },
>(changes: Changes, current: { readonly nameTranslations?: NameTranslations }): Changes {
  const { nameTranslations, ...others } = changes;
  const isReset = nameTranslations !== undefined && Object.keys(nameTranslations).length === 0;
  return isReset && current.nameTranslations === undefined ? (others as Changes) : changes;
}

/** Returns a 400 error that names every wrong field. */
export function invalidFieldsError(errors: FieldError[]): InvalidRequest {
  const message = errors.map((error) => `${error.field} ${error.message}`).join('; ');
  return new InvalidRequest('validation_failed', message, errors);
}
