/** Characters that start a formula in a spreadsheet, and characters that could hide the start of one. */
const FORMULA_STARTS = ['=', '+', '-', '@', '\t', '\r', '\u0000'];
const NEEDS_QUOTES = /[",\r\n]/;

type Cell = string | number | boolean | null | undefined;

/**
 * Writes rows as CSV (RFC 4180): a header, lines that end with CRLF, and quotes if they are needed. A cell that a spreadsheet would run as
 * a formula gets a `'` in front. A value that is null or undefined is an empty cell.
 */
export function toCsv<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: Cell): string {
  const text = value === null || value === undefined ? '' : String(value);
  const guarded = FORMULA_STARTS.some((start) => text.startsWith(start)) ? `'${text}` : text;
  return NEEDS_QUOTES.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
