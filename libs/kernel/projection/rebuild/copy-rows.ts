import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ColumnLayout, TableLayout } from '../table-layout.js';

/** The text of rows is sent in pieces of this many characters, so that the text of many rows is never in memory as a whole. */
const PIECE_CHARACTERS = 65_536;
const JSON_TYPES = new Set(['json', 'jsonb']);

/** Adds rows by COPY, which takes half the time of an INSERT. The rows must have new keys. */
export async function copyRows(
  tx: PoolClient,
  layout: TableLayout,
  schema: string,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = layout.columns.map(({ name }) => name).join(', ');
  const copy = tx.query(copyFrom(`COPY ${schema}.${layout.table} (${columns}) FROM STDIN`));
  await pipeline(copyText(layout.columns, rows), copy);
}

/**
 * Writes rows in the text format of COPY (https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2). Each row is a line, tabs
 * separate the columns, and \N is null. Objects become JSON, as in `jsonb_populate_recordset`. Yields the text in pieces.
 */
function* copyText(columns: readonly ColumnLayout[], rows: readonly object[]): Generator<string> {
  let text = '';
  for (const row of rows as readonly Record<string, unknown>[]) {
    for (let i = 0; i < columns.length; i++) {
      const { property, type } = columns[i]!;
      if (i > 0) text += '\t';
      text += field(row[property], JSON_TYPES.has(type));
    }
    text += '\n';
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function field(value: unknown, isJson: boolean): string {
  if (value === null || value === undefined) return '\\N';
  if (isJson || typeof value === 'object') return escaped(JSON.stringify(value));
  if (typeof value === 'string') return escaped(value);
  return (value as number | boolean | bigint).toString();
}

const SPECIAL = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (one) => ESCAPES[one]!) : text;
}
