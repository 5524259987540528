/**
 * Characters that start a formula in a spreadsheet, also in their full-width forms, and characters that could hide the start of a formula.
 */
const FORMULA_STARTS = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\u0000'];
/** The mark at the start of a text by which Excel reads it as UTF-8 (Unicode 16.0, section 23.8). */
export const BYTE_ORDER_MARK = '\uFEFF';

/** The semicolon and the tab separate columns in spreadsheets of some languages. */
const NEEDS_QUOTES = /[",;\t\r\n]/;

type Cell = string | number | boolean | null | undefined;

/**
 * Writes rows as CSV (RFC 4180): a header, lines that end with CRLF, and quotes if they are needed. A cell that a spreadsheet would run as
 * a formula begins with an added `'`. A value that is null or undefined is an empty cell.
 *
 * @param amounts the columns of decimal numbers. Their cells get no added `'`, because a negative number is not a formula.
 */
export function toCsv<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
  amounts: readonly Column[] = [],
): string {
  const isAmount = columns.map((column) => amounts.includes(column));
  const lineOf = (row: Readonly<Record<Column, Cell>>): string =>
    lineOfTexts(columns.map((column, i) => (isAmount[i] ? textOf(row[column]) : guardedText(row[column]))));
  return [csvLine(columns), ...rows.map(lineOf)].join('');
}

/** Writes one line of CSV by the same rules as {@link toCsv}. */
export function csvLine(cells: readonly Cell[]): string {
  return lineOfTexts(cells.map(guardedText));
}

function lineOfTexts(texts: readonly string[]): string {
  const quoted = texts.map((text) => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
  return `${quoted.join(',')}\r\n`;
}

function guardedText(value: Cell): string {
  const text = textOf(value);
  return FORMULA_STARTS.some((start) => text.startsWith(start)) ? `'${text}` : text;
}

function textOf(value: Cell): string {
  return value === null || value === undefined ? '' : String(value);
}
