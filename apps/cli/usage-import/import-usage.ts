import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CliError } from '../cli-error.js';
import { requireOneOf, type MappingOptions } from './mapping.js';
import { startProgress, type Progress } from '../progress.js';
import { readImportRows, type RowSource } from './rows.js';
import { UsageSender, type RowToSend, type RejectedRow } from './usage-sender.js';

/** The options of `countinghouse usage import`. */
export interface ImportOptions extends Partial<MappingOptions> {
  /** The URL of the API that receives the usage events. */
  url: string;
  apiKey: string;
  /** Tells whether the rows belong to past periods. Rows that belong to past periods can be of any age. */
  backfill?: boolean;
}

/** The result of an import. */
export interface ImportResult {
  /** The number of rows in the file. */
  rowCount: number;
  /** The number of rows that the API has accepted. */
  accepted: number;
  /** The number of accepted rows whose idempotency key had been stored before, by an earlier import or by an earlier row of the file. */
  repeated: number;
  /** The number of accepted rows that are not stored, because an earlier event with other content has their key. */
  reusedKeys: number;
  /** The number of rows that were not stored. */
  rejected: number;
  /** The first few rejected rows. */
  examples: RejectedRow[];
  /** The number of accepted rows that no metric counts, or that a metric skips. A row that another metric counts is included. */
  unmatched: number;
  /** The number of accepted rows that metrics count and that nothing charges to their customers. */
  unpriced: number;
  /** The first few reasons why no metric counts rows, or a metric skips them, each with the number of its rows. */
  warnings: Map<string, number>;
  /** The first few reasons why nothing charges rows, each with the number of its rows. */
  unpricedWarnings: Map<string, number>;
}

const BATCH = 500;
const IN_FLIGHT = 4;
/** The maximum number of rejected rows in `examples`. */
const EXAMPLES = 10;
/**
 * The maximum number of reasons in `warnings` and in `unpricedWarnings`, which say why accepted rows do not count as usage. A reason contains the event name. If the
 * wrong column is used for the event name, each row can have a different reason.
 */
const MAX_REASONS = 10;

/** Sends every row of the file as a usage event. Throws a {@link CliError} if the file or the API cannot be used. */
export async function importUsage(
  path: string,
  options: ImportOptions,
  output: NodeJS.WriteStream,
): Promise<ImportResult> {
  // Each event of a backfill needs a time.
  requireOneOf('--now', options.now, '--backfill', options.backfill);
  const { size } = await stat(path).catch((error: Error) => {
    throw new CliError(`${path} cannot be read: ${error.message}`);
  });
  const source = readImportRows(path, { ...options, source: options.source ?? basename(path) });
  const progress = startProgress(size, 'rows', output);
  const { url, apiKey, backfill } = options;
  const sender = new UsageSender(url, apiKey, (text) => progress.printLine(text), backfill);
  try {
    return await sendAll(source, sender, progress);
  } finally {
    progress.stop();
  }
}

async function sendAll(source: RowSource, sender: UsageSender, progress: Progress): Promise<ImportResult> {
  const result: ImportResult = {
    rowCount: 0,
    accepted: 0,
    repeated: 0,
    reusedKeys: 0,
    rejected: 0,
    examples: [],
    unmatched: 0,
    unpriced: 0,
    warnings: new Map(),
    unpricedWarnings: new Map(),
  };
  const inFlight = new Set<Promise<void>>();
  const reject = (rejected: RejectedRow[]): void => {
    result.rejected += rejected.length;
    result.examples = [...result.examples, ...rejected].sort((a, b) => a.row - b.row).slice(0, EXAMPLES);
  };
  const send = async (rows: RowToSend[]): Promise<void> => {
    const { accepted, repeated, reusedKeys, rejected, unmatched, unpriced, warnings } =
      await sender.send(rows);
    result.accepted += accepted;
    result.repeated += repeated;
    result.reusedKeys += reusedKeys;
    result.unmatched += unmatched;
    result.unpriced += unpriced;
    for (const { code, reason, count } of warnings) {
      const reasons = code === 'unpriced' ? result.unpricedWarnings : result.warnings;
      if (reasons.size < MAX_REASONS || reasons.has(reason))
        reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    }
    reject(rejected);
    progress.update(source.bytesRead(), result.accepted + result.rejected);
  };
  const start = async (rows: RowToSend[]): Promise<void> => {
    const sending = send(rows).finally(() => inFlight.delete(sending));
    // The promise is awaited below. Until then, a rejection must not be treated as unhandled.
    sending.catch(() => undefined);
    inFlight.add(sending);
    if (inFlight.size >= IN_FLIGHT) await Promise.race(inFlight);
  };
  let batch: RowToSend[] = [];
  for await (const row of source.rows) {
    result.rowCount++;
    if ('problem' in row) {
      reject([{ row: row.row, code: 'not_an_object', reason: row.problem }]);
      continue;
    }
    batch.push(row);
    if (batch.length < BATCH) continue;
    await start(batch);
    batch = [];
  }
  if (batch.length > 0) await start(batch);
  await Promise.all(inFlight);
  return result;
}
