import { ERASED } from '#libs/kernel/domain';
import type { CustomField } from './events.js';

/** Returns the custom fields. Empty if there are none, or if they were erased. */
export function knownCustomFields(fields: readonly CustomField[] | undefined): CustomField[] {
  return fields === undefined || (fields as unknown) === ERASED ? [] : [...fields];
}
