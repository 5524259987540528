import { ERASED } from '#libs/kernel/domain';
import type { CustomField } from './events.js';

/** The custom fields; empty if there are none, or if they were erased. */
export function knownFields(fields: readonly CustomField[] | undefined): CustomField[] {
  return fields === undefined || (fields as unknown) === ERASED ? [] : [...fields];
}
