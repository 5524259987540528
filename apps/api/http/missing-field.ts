import type { MissingResource } from '#libs/kernel/core';

/**
 * Returns the field of a request that names a missing resource, such as `id`, `planId` or `prices[1]`. Returns undefined if no field has
 * the id of the resource. If several fields have the id, a field whose name matches the type of the resource is returned. `parts` are the
 * parts of the request to search, the most likely part first.
 */
export function findFieldWithId(
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

/**
 * Returns only the letters of a name, in lower case. `payment method` and `payment_method` become `paymentmethod`, and `paymentMethodId`
 * becomes a text that contains it.
 */
function wordOf(name: string): string {
  return name.replaceAll(/[^a-z]/gi, '').toLowerCase();
}
