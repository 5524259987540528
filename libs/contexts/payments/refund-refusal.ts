import { Conflict } from '#libs/kernel/core';

const CODE = 'refund_refused';

/** Returns the error with which a gateway refuses a refund for good. `message` says why. */
export function refundRefused(message: string): Conflict {
  return new Conflict(CODE, message);
}

/** Returns the error if the payment gateway refused a refund for good. Throws others, after which the refund can be repeated. */
export function refusalOf(error: unknown): Conflict {
  if (error instanceof Conflict && error.code === CODE) return error;
  throw error;
}
