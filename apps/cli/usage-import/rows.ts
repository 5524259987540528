import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse, type CsvError } from 'csv-parse';
import { BYTE_ORDER_MARK, parseJson } from '#libs/kernel/core';
import { CliError } from '../cli-error.js';
import {
  csvMapping,
  jsonMapping,
  SEPARATORS,
  type MappingOptions,
  type UsageEventToImport,
} from './mapping.js';

/** A row of the file as an event, or the reason why it is invalid. Row numbers begin at 1. The header and empty lines have no number. */
export type ImportRow = { row: number; event: UsageEventToImport } | { row: number; problem: string };

/** The rows of a file, and the progress of reading it. */
export interface RowSource {
  rows: AsyncIterable<ImportRow>;
  bytesRead(): number;
}

/** Reads the rows of a .csv, .ndjson or .jsonl file one at a time, so that a large file needs little memory. */
export function readImportRows(path: string, options: MappingOptions): RowSource {
  const stream = createReadStream(path);
  const bytesRead = (): number => stream.bytesRead;
  if (/\.csv$/i.test(path)) return { rows: csvRows(stream, options), bytesRead };
  if (/\.(ndjson|jsonl)$/i.test(path)) return { rows: jsonRows(stream, options), bytesRead };
  throw new CliError(`${path} must be a .csv file with a header row, or an .ndjson file`);
}

async function* csvRows(stream: NodeJS.ReadableStream, options: MappingOptions): AsyncGenerator<ImportRow> {
  const parser = stream.pipe(
    parse({
      bom: true,
      delimiter: SEPARATORS[options.separator ?? 'comma'],
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
    }),
  );
  // A pipe does not forward errors of the file, so they are forwarded here.
  stream.on('error', (error) => parser.destroy(error as Error));
  let mapping: ReturnType<typeof csvMapping> | undefined;
  let header: readonly string[] = [];
  let row = 0;
  try {
    for await (const fields of parser as AsyncIterable<string[]>) {
      if (!mapping) {
        mapping = csvMapping(fields, options);
        header = fields;
        continue;
      }
      row++;
      const problem = problemOf(fields, header, options);
      yield problem === undefined ? { row, event: mapping(fields, row) } : { row, problem };
    }
  } catch (error) {
    if (!String((error as CsvError).code ?? '').startsWith('CSV_')) throw error;
    throw new CliError(`The file is not readable as CSV: ${(error as Error).message}`);
  }
  if (!mapping) throw new CliError('The file is empty; its first row must name the columns');
}

/** Returns why a row does not fit the header, or undefined if it fits. A value without a name would be lost, unless options name the properties. */
function problemOf(
  fields: readonly string[],
  header: readonly string[],
  { properties }: MappingOptions,
): string | undefined {
  if (fields.length !== header.length)
    return `it has ${fields.length} columns, and the header ${header.length}`;
  const unnamed = fields.findIndex((text, index) => text !== '' && header[index] === '');
  return unnamed < 0 || properties
    ? undefined
    : `its column ${unnamed + 1} has a value, and no name in the header`;
}

async function* jsonRows(stream: NodeJS.ReadableStream, options: MappingOptions): AsyncGenerator<ImportRow> {
  const mapping = jsonMapping(options);
  let failure: Error | undefined;
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  stream.on('error', (error) => {
    failure = error as Error;
    lines.close();
  });
  let row = 0;
  let isFirst = true;
  for await (const text of lines) {
    const line = isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
    isFirst = false;
    if (line.trim() === '') continue;
    row++;
    const event = parseEventLine(line);
    yield typeof event === 'string' ? { row, problem: event } : { row, event: mapping(event, line, row) };
  }
  if (failure) throw failure;
}

/** Returns the event of a line, or a text that says why the line is invalid. */
function parseEventLine(line: string): UsageEventToImport | string {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'it must be a JSON object with the fields of a usage event';
  return value as UsageEventToImport;
}
