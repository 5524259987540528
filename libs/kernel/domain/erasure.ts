import type { DomainEvent } from './event.js';

/** The text that replaces a personal value after its key was destroyed. */
export const ERASED = '[erased]';

/** The type of the event after which read models show no personal data of the streams that it names. */
export const PERSONAL_DATA_ERASED = 'PersonalDataErased';

/**
 * The key of a person was destroyed, so these streams are read without personal data. Rows that were made from them before are updated too.
 * `streams` are the names of the streams. `entries` are the ids of single events that have rows of their own with a personal text.
 */
export type PersonalDataErased = DomainEvent<
  typeof PERSONAL_DATA_ERASED,
  { customerId: string; at: string; streams: string[]; entries: string[] }
>;

/** Returns the value that replaces a personal value after its key was destroyed. A value that is absent or null stays. */
export function erasedValue<T>(value: T): T {
  return value === null || value === undefined ? value : (ERASED as T);
}
