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

/** Errors of syntax and rights (class 42) quote the SQL and the names in it, and no values. */
const QUOTES_NO_VALUES = /^42/;
/**
 * The meaning of the SQLSTATEs that SQL of a metric reaches with real events. The messages of Postgres quote values of events. These can be
 * personal data, and an error is stored, logged and answered.
 */
const CONDITIONS: Readonly<Record<string, string>> = {
  '22P02': 'a text cannot be read as the type that the SQL casts it to',
  '22003': 'a number is too large or too small for its type',
  '22012': 'division by zero',
  '22007': 'a text is not a valid time',
  '22008': 'a time is out of range',
  '22001': 'a text is too long for its type',
  '22023': 'a value is not valid here',
  '22011': 'a part of a text has a negative length',
  '21000': 'more than one row where one is expected',
};

/**
 * Returns the reason why the SQL of a metric failed, worded to follow `the SQL`. Returns undefined if the SQL did not cause the failure.
 *
 * @param ran `trial`: the SQL ran without events, so the message of Postgres quotes nothing but the SQL, and is given. `events`: the SQL
 * read events, and the reason quotes none of their values.
 */
export function describeSqlFailure(
  error: unknown,
  sql: CheckedSql,
  limitMillis: number,
  ran: 'trial' | 'events',
): string | undefined {
  const { code, message, internalQuery, internalPosition } = error as Partial<DatabaseError>;
  if (code === CANCELED) return `takes more than ${limitMillis / 1_000} seconds`;
  if (code === LIMIT_EXCEEDED) return `needs too much disk space for sorting and grouping: ${message}`;
  if (code === undefined || !OF_STATEMENT.test(code)) return undefined;
  const start = internalQuery?.indexOf(sql.statement) ?? -1;
  const place = start < 0 ? 0 : Number(internalPosition ?? 0) - start - sql.clientTextOffset;
  const reason =
    ran === 'trial' || QUOTES_NO_VALUES.test(code)
      ? message
      : `${CONDITIONS[code] ?? 'Postgres refuses a value of the events'} (SQLSTATE ${code})`;
  return `fails: ${reason}${place > 0 ? ` (at character ${place})` : ''}`;
}
