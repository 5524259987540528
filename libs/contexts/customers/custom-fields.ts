import { ERASED } from '#libs/kernel/event-store';
import type { CustomField } from './events.js';

/** Custom fields; none where none are known, or they were erased. */
export function knownFields(fields: readonly CustomField[] | undefined): CustomField[] {
  return fields === undefined || (fields as unknown) === ERASED ? [] : [...fields];
}
