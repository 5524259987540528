import { Conflict } from '#libs/kernel/core';

const CODE = 'refund_refused';

/** Returns the error that a gateway throws when it refuses a refund for good. `message` says why. */
export function refundRefusedError(message: string): Conflict {
  return new Conflict(CODE, message);
}

/**
 * Returns the error if it means that the payment gateway refused a refund for good. Throws any other error again; the refund can then be
 * repeated.
 */
export function requireRefundRefusal(error: unknown): Conflict {
  if (error instanceof Conflict && error.code === CODE) return error;
  throw error;
}
