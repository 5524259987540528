/** Returns an object with only the named fields. A field that the object does not have is left out. */
export function pick<T extends object, Name extends keyof T>(
  object: T,
  names: readonly Name[],
): Pick<T, Name> {
  const picked: Partial<T> = {};
  for (const name of names) if (Object.hasOwn(object, name)) picked[name] = object[name];
  return picked as Pick<T, Name>;
}

/**
 * Returns an object without the named fields. Prefer {@link pick} for what is stored or answered: a field that is added later then does not
 * get there by itself.
 */
export function omit<T extends object, Name extends keyof T>(
  object: T,
  names: readonly Name[],
): Omit<T, Name> {
  const rest: Partial<T> = { ...object };
  for (const name of names) delete rest[name];
  return rest as Omit<T, Name>;
}
