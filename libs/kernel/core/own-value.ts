/**
 * Returns the value of a key that is any text, such as an id that a user chose. Undefined if the record does not have it. So a name that
 * every object inherits, such as `constructor`, gives undefined.
 */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
