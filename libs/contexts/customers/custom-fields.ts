import { ERASED } from '#libs/kernel/domain';
import type { CustomField } from './events.js';

/** Returns the custom fields. Returns an empty list if the customer has no custom fields, or if the fields were erased. */
export function customFieldsOrNone(fields: readonly CustomField[] | undefined): CustomField[] {
  return fields === undefined || (fields as unknown) === ERASED ? [] : [...fields];
}
