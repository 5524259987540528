import { Unavailable } from '#libs/kernel/core';
import { isTransient } from './transient.js';

/** SQLSTATE: the disk is full (PostgreSQL appendix A, class 53). */
const DISK_FULL = '53100';

/** Returns an Unavailable error for a temporary failure of Postgres, or undefined for a permanent failure. */
export function toDatabaseUnavailable(error: unknown): Unavailable | undefined {
  if ((error as { code?: unknown } | undefined)?.code === DISK_FULL)
    return new Unavailable(
      'storage_full',
      'There is no room left on the disk, so nothing was stored; try again when the operator has made room',
    );
  if (!isTransient(error)) return undefined;
  return new Unavailable(
    'database_unavailable',
    'The database does not answer; try again, with the same idempotency key if there is one',
  );
}
