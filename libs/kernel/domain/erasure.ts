import type { DomainEvent } from './event.js';

/** The text that replaces a personal value after its key was destroyed. */
export const ERASED = '[erased]';

/** The type of the event after which read models show nothing personal of some streams any more. */
export const PERSONAL_DATA_ERASED = 'PersonalDataErased';

/**
 * The key of a person was destroyed, so these streams are read without personal data. The rows that were made of them before follow.
 * `streams` are the names of the streams. `entries` are the ids of single events whose own rows have a personal text.
 */
export type PersonalDataErased = DomainEvent<
  typeof PERSONAL_DATA_ERASED,
  { customerId: string; at: string; streams: string[]; entries: string[] }
>;

/** Returns what a personal value is read as after its key was destroyed. A value that is absent or null stays. */
export function erasedValue<T>(value: T): T {
  return value === null || value === undefined ? value : (ERASED as T);
}
