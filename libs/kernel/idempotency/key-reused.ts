import { Conflict } from '#libs/kernel/core';

/** The error for a request whose idempotency key was used for another request. */
export function idempotencyKeyReused(): Conflict {
  return new Conflict(
    'idempotency_key_reused',
    'This Idempotency-Key was used before with another request; send that request unchanged, or use a new key',
    [{ field: 'Idempotency-Key', message: 'must be a new key for another request' }],
  );
}
