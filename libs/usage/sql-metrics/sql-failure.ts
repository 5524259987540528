import type { DatabaseError } from 'pg';
import type { CheckedSql } from './check-sql.js';

const CANCELED = '57014';
/** More temporary files than `temp_file_limit` lets a connection have (class 53, but not one that passes). */
const LIMIT_EXCEEDED = '53400';
/** SQLSTATE classes (PostgreSQL appendix A) that are of the statement itself: cardinality, data, syntax and rights, limits. */
const OF_STATEMENT = /^(?:0A|21|22|42|54)/;

/** Why the SQL of a metric failed, in words that go after `the SQL`; undefined if it was not the SQL. */
export function sqlFailure(error: unknown, sql: CheckedSql, limitMillis: number): string | undefined {
  const { code, message, internalQuery, internalPosition } = error as Partial<DatabaseError>;
  if (code === CANCELED) return `takes more than ${limitMillis / 1_000} seconds`;
  if (code === LIMIT_EXCEEDED) return `needs too much room to sort and group in: ${message}`;
  if (code === undefined || !OF_STATEMENT.test(code)) return undefined;
  const start = internalQuery?.indexOf(sql.statement) ?? -1;
  const place = start < 0 ? 0 : Number(internalPosition ?? 0) - start - sql.before;
  return `fails: ${message}${place > 0 ? ` (at character ${place})` : ''}`;
}
