import type { Pool } from 'pg';
import { CheckFailed, type ReadinessChecks } from '#libs/kernel/runtime';
import { checkWritable } from './check-writable.js';

/** The SQLSTATE class of insufficient resources (PostgreSQL appendix A), such as a full disk. */
const NO_RESOURCES = /^53/;

/** The check that Postgres can write to its disk. While it cannot, no request can change anything, although reads succeed. */
export function storageCheck(pool: Pool): ReadinessChecks {
  return {
    storage: () =>
      checkWritable(pool).catch((error: unknown) => {
        const { code } = error as { code?: unknown };
        if (typeof code !== 'string' || !NO_RESOURCES.test(code)) throw error;
        throw new CheckFailed('Postgres cannot write to its disk');
      }),
  };
}
