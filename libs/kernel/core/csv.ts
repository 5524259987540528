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
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map(csvLine).join('');
}

/** Writes one line of CSV, as {@link toCsv} does. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: Cell): string {
  const text = value === null || value === undefined ? '' : String(value);
  const guarded = FORMULA_STARTS.some((start) => text.startsWith(start)) ? `'${text}` : text;
  return NEEDS_QUOTES.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
