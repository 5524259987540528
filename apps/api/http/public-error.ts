import { AppError, Unavailable } from '#libs/kernel/core';
import { toEventStoreUnavailable, UnreadableEvent } from '#libs/kernel/event-store';
import { toDatabaseUnavailable } from '#libs/kernel/postgres';

/**
 * Returns the error that a client may see instead of `error`. Returns Unavailable if the database or the event store does not answer, or
 * (`unreadable_event`) if a later version of Countinghouse wrote an event that this version cannot read. Returns undefined for a defect.
 */
export function toPublicError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (error instanceof UnreadableEvent)
    return new Unavailable(
      'unreadable_event',
      'This version of Countinghouse cannot read an event of the resource. The operator must start the version that wrote the event, or resolve its quarantine.',
    );
  return toDatabaseUnavailable(error) ?? toEventStoreUnavailable(error);
}
