import { InvalidRequest, StateConflict } from '#libs/kernel/core';

/** The error code for a metric whose SQL fails when it reads the events. The message of such an error quotes the SQL of the metric. */
const SQL_FAILED = 'metric_sql_failed';

/** Returns whether an error comes from the SQL of a metric. */
export function isSqlFailure(error: unknown): boolean {
  return error instanceof InvalidRequest && error.code === SQL_FAILED;
}

/**
 * Returns the result of `work`. Replaces an error that quotes a metric's SQL by an error without the SQL, because customers must not see
 * the SQL.
 */
export async function hideSqlInErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSqlFailure(error)) throw error;
    throw new StateConflict('usage_not_measurable', 'The usage of a metric cannot be measured now');
  }
}
