/** What a spreadsheet takes for the beginning of a formula, and what could hide one from sight. */
const FORMULA = /^[=+\-@\t\r\u0000]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * Rows as CSV (RFC 4180): a header, lines that end with CRLF, quotes where they are needed. A cell that a spreadsheet
 * would run as a formula gets a `'` in front. A value that is null or undefined is an empty cell.
 */
export function toCsv<Row extends object>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value as string | number | boolean);
  const guarded = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
