import { Conflict } from '#libs/kernel/core';

const CODE = 'refund_refused';

/** Returns the error that a gateway throws when it refuses a refund for good. `message` says why. */
export function refundRefused(message: string): Conflict {
  return new Conflict(CODE, message);
}

/**
 * Returns the error if it means that the payment gateway refused a refund for good. Throws any other error again; the refund can then be
 * repeated.
 */
export function refundRefusalOf(error: unknown): Conflict {
  if (error instanceof Conflict && error.code === CODE) return error;
  throw error;
}
