import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse, type CsvError } from 'csv-parse';
import { parseJson } from '#libs/kernel/core';
import { CliError } from '../cli-error.js';
import { csvMapping, jsonMapping, type MappingOptions, type UsageEventToImport } from './mapping.js';

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
    parse({ bom: true, trim: true, skip_empty_lines: true, relax_column_count: true }),
  );
  // A pipe does not forward errors of the file, so they are forwarded here.
  stream.on('error', (error) => parser.destroy(error as Error));
  let mapping: ReturnType<typeof csvMapping> | undefined;
  let columns = 0;
  let row = 0;
  try {
    for await (const fields of parser as AsyncIterable<string[]>) {
      if (!mapping) {
        mapping = csvMapping(fields, options);
        columns = fields.length;
        continue;
      }
      row++;
      if (fields.length === columns) yield { row, event: mapping(fields, row) };
      else yield { row, problem: `it has ${fields.length} columns, and the header ${columns}` };
    }
  } catch (error) {
    if (!String((error as CsvError).code ?? '').startsWith('CSV_')) throw error;
    throw new CliError(`The file is not readable as CSV: ${(error as Error).message}`);
  }
  if (!mapping) throw new CliError('The file is empty; its first row must name the columns');
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
  for await (const line of lines) {
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
