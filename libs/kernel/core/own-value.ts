/**
 * Returns the value of `key`, which can be any text, such as an id that a user chose. Returns undefined if the record itself does not have
 * the key. A name that every object inherits, such as `constructor`, gives undefined.
 */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
