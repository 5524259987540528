// `npm run golden -- <file>`: evaluates a file of worked cases with the project's own functions and prints what differs.
import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import type { GoldenCase } from './adapter/index.ts';
import { mismatchesOf } from './mismatches.ts';

const file = process.argv[2];
if (file === undefined || process.argv.length > 3) fail('Usage: npm run golden -- <file>');

const cases = readCases(await readFile(file, 'utf8').catch((error: Error) => fail(error.message)));
let wrong = 0;
for (const golden of cases) {
  const mismatches = mismatchesOf(golden);
  if (mismatches.length > 0) wrong += 1;
  for (const { id, field, expected, actual } of mismatches)
    process.stdout.write(`${id} ${field}: expected ${shown(expected)}, actual ${shown(actual)}\n`);
}
process.stdout.write(`${cases.length} cases: ${cases.length - wrong} pass, ${wrong} do not\n`);
process.exitCode = wrong === 0 && cases.length > 0 ? 0 : 1;

function readCases(text: string): GoldenCase[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    fail(`${file} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(read)) fail(`${file} must hold a list of cases`);
  const broken = read.findIndex(
    (one: Partial<GoldenCase> | null) => !one?.id || !one.given?.kind || !one.expect,
  );
  if (broken >= 0) fail(`Element ${broken} of ${file} is no case: it needs an id, given.kind and expect`);
  return read as GoldenCase[];
}

function shown(value: unknown): string {
  return value instanceof Error ? value.message : inspect(value, { depth: null, breakLength: Infinity });
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
