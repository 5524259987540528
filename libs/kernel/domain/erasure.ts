import type { DomainEvent } from './event.js';

/** The text that replaces a personal value after its key was destroyed. */
export const ERASED = '[erased]';

/** The type of the event that makes read models remove the personal data of the streams that the event names. */
export const PERSONAL_DATA_ERASED = 'PersonalDataErased';

/**
 * The key of a customer was destroyed, so the streams in `streams` are now read without personal data. The event makes the read models
 * remove the personal data from the existing rows that were made from these streams. `entries` are the ids of single events from which a
 * read model made a separate row with personal text, such as a row of the wallet ledger.
 */
export type PersonalDataErased = DomainEvent<
  typeof PERSONAL_DATA_ERASED,
  { customerId: string; at: string; streams: string[]; entries: string[] }
>;

/** Returns the value that replaces a personal value after its key was destroyed. An absent or null value stays unchanged. */
export function erasedValue<T>(value: T): T {
  return value === null || value === undefined ? value : (ERASED as T);
}
