import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CliError } from '../cli-error.js';
import type { MappingOptions } from './mapping.js';
import { startProgress, type Progress } from './progress.js';
import { readRows, type ImportRow, type RowSource } from './rows.js';
import { UsageSender, type RejectedRow } from './usage-sender.js';

/** What `countinghouse usage import` is told. */
export interface ImportOptions extends Partial<MappingOptions> {
  url: string;
  apiKey: string;
}

/** What came of an import. */
export interface ImportResult {
  rows: number;
  accepted: number;
  rejected: number;
  /** The first of them. */
  examples: RejectedRow[];
}

const BATCH = 500;
const IN_FLIGHT = 4;
const EXAMPLES = 10;

/** Sends every row of the file as a usage event. Throws a {@link CliError} when the file or the API is of no use. */
export async function importUsage(
  path: string,
  options: ImportOptions,
  output: NodeJS.WriteStream,
): Promise<ImportResult> {
  const { size } = await stat(path).catch((error: Error) => {
    throw new CliError(`${path} cannot be read: ${error.message}`);
  });
  const source = readRows(path, { ...options, source: options.source ?? basename(path) });
  const sender = new UsageSender(options.url, options.apiKey);
  const progress = startProgress(size, output);
  try {
    return await sendAll(source, sender, progress);
  } finally {
    progress.stop();
  }
}

async function sendAll(source: RowSource, sender: UsageSender, progress: Progress): Promise<ImportResult> {
  const result: ImportResult = { rows: 0, accepted: 0, rejected: 0, examples: [] };
  const inFlight = new Set<Promise<void>>();
  const send = async (rows: ImportRow[]): Promise<void> => {
    const { accepted, rejected } = await sender.send(rows);
    result.accepted += accepted;
    result.rejected += rejected.length;
    result.examples.push(...rejected.slice(0, EXAMPLES - result.examples.length));
    progress.update(source.bytesRead(), result.accepted + result.rejected);
  };
  const start = async (rows: ImportRow[]): Promise<void> => {
    result.rows += rows.length;
    const sending = send(rows).finally(() => inFlight.delete(sending));
    // It is awaited below; until then a failure must not count as unhandled.
    sending.catch(() => undefined);
    inFlight.add(sending);
    if (inFlight.size >= IN_FLIGHT) await Promise.race(inFlight);
  };
  let batch: ImportRow[] = [];
  for await (const row of source.rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    await start(batch);
    batch = [];
  }
  if (batch.length > 0) await start(batch);
  await Promise.all(inFlight);
  result.examples.sort((a, b) => a.row - b.row);
  return result;
}
