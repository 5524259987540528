import type { MissingResource } from '#libs/kernel/core';

/**
 * The field of a request that names a missing resource, such as `id`, `planId` or `prices[1]`; undefined if no field has its id. If several
 * fields have this id, a field that is named after the resource wins. `parts` are the parts of the request to search, the likeliest first.
 */
export function findFieldNaming(
  { resource, id }: MissingResource,
  parts: readonly unknown[],
): string | undefined {
  const fields = parts.flatMap((part) => fieldsWith(id, part, ''));
  const called = wordOf(resource);
  return fields.find((field) => wordOf(field).includes(called)) ?? fields[0];
}

function fieldsWith(id: string, value: unknown, field: string): string[] {
  if (value === id) return [field];
  if (Array.isArray(value))
    return value.flatMap((element, index) => fieldsWith(id, element, `${field}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  const prefix = field === '' ? '' : `${field}.`;
  return Object.entries(value).flatMap(([name, inner]) => fieldsWith(id, inner, `${prefix}${name}`));
}

/** The letters of a name in lower case, so that `payment method`, `paymentMethodId` and `payment_method` can be compared. */
function wordOf(name: string): string {
  return name.replaceAll(/[^a-z]/gi, '').toLowerCase();
}
