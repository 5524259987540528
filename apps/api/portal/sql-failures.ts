import { InvalidRequest } from '#libs/kernel/core';

/** The error code for a metric whose SQL fails on the events. The message of that error quotes the SQL. */
const SQL_FAILED = 'metric_sql_failed';

/** Whether an error comes from the SQL of a metric. */
export function isSqlFailure(error: unknown): boolean {
  return error instanceof InvalidRequest && error.code === SQL_FAILED;
}

/** Returns the result of `work`. Replaces an error of a metric's SQL by one that does not quote the SQL, since customers must not see it. */
export async function withoutSqlInErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSqlFailure(error)) throw error;
    throw new InvalidRequest('usage_not_measurable', 'The usage of a metric cannot be measured now');
  }
}
