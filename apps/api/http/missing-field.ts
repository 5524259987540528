import type { Missing } from '#libs/kernel/core';

/**
 * The field that names what is not there, such as `id`, `planId` or `prices[1]`. `parts` are those of the request in which it
 * can stand, the likeliest first. Of several fields with this very id, the one that is called after the thing; undefined
 * if the request does not name it.
 */
export function fieldNaming({ resource, id }: Missing, parts: readonly unknown[]): string | undefined {
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

/** A name without the marks that names are written with: `payment method`, `paymentMethodId` and `payment_method` are alike. */
function wordOf(name: string): string {
  return name.replaceAll(/[^a-z]/gi, '').toLowerCase();
}
