import pg from 'pg';

const TIMESTAMPTZ = 1184;
const DATE = 1082;

/**
 * Converts column values. A timestamptz becomes an Instant in UTC, with milliseconds, or with microseconds if the value has any. Dates
 * become text. A bigint or numeric value also becomes text, because a double cannot represent all values of these types.
 */
export const columnTypeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
    if (format !== 'binary' && oid === TIMESTAMPTZ) return parseTimestamp;
    if (format !== 'binary' && oid === DATE) return (text: string) => text;
    return (pg.types.getTypeParser as (oid: number, format?: string) => unknown)(oid, format);
  },
};

/** Converts `2026-01-31 10:00:00.25+00` (the session's zone is always UTC) to `2026-01-31T10:00:00.250Z`. */
function parseTimestamp(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text);
  if (!match) return text;
  const fraction = (match[3] ?? '').padEnd(3, '0');
  return `${match[1]}T${match[2]}.${fraction.length > 3 ? fraction.padEnd(6, '0') : fraction}Z`;
}
