import type { ResourceFieldChange } from './events.js';

/** The fields of a resource as an approval request shows them, by name. */
export type ShownFields<Name extends string = string> = Readonly<Record<Name, string | null>>;

/** Returns the fields whose shown values differ, with both values, in the order of `before`. Both states have the same fields. */
export function changedFields<Name extends string>(
  before: ShownFields<Name>,
  after: ShownFields<Name>,
): ResourceFieldChange[] {
  const names = Object.keys(before) as Name[];
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ field: name, before: before[name], after: after[name] }));
}
