import type { DatabaseError } from 'pg';
import type { CheckedSql } from './check-sql.js';

const CANCELED = '57014';
/**
 * The SQLSTATE of the error if a connection exceeds `temp_file_limit`. Class 53 normally contains temporary errors, but this error is not
 * temporary.
 */
const LIMIT_EXCEEDED = '53400';
/**
 * The SQLSTATE classes (PostgreSQL appendix A) of errors that a statement itself causes. These classes are for unsupported features, and
 * for errors of cardinality, data, syntax, rights and limits.
 */
const OF_STATEMENT = /^(?:0A|21|22|42|54)/;

/**
 * Returns the reason why the SQL of a metric failed, worded to follow `the SQL`. Returns undefined if the SQL did not cause the failure.
 */
export function describeSqlFailure(error: unknown, sql: CheckedSql, limitMillis: number): string | undefined {
  const { code, message, internalQuery, internalPosition } = error as Partial<DatabaseError>;
  if (code === CANCELED) return `takes more than ${limitMillis / 1_000} seconds`;
  if (code === LIMIT_EXCEEDED) return `needs too much disk space for sorting and grouping: ${message}`;
  if (code === undefined || !OF_STATEMENT.test(code)) return undefined;
  const start = internalQuery?.indexOf(sql.statement) ?? -1;
  const place = start < 0 ? 0 : Number(internalPosition ?? 0) - start - sql.clientTextOffset;
  return `fails: ${message}${place > 0 ? ` (at character ${place})` : ''}`;
}
