// `npm run mutation`: changes the sources a little, one change at a time, and tells which changes no unit test notices.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type MutantResult, type MutantStatus, type PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { mutatedFiles, SCOPE, SPECS } from './scope.ts';
import { type Explanations, isExplained, needlessIn, type Survivor, survivorsOf } from './survivors.ts';

const root = join(import.meta.dirname, '../..');
/** What may become of a mutant. */
const KNOWN: MutantStatus[] = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored'];

const USAGE = `npm run mutation [-- options]

  --only PATH     mutates one file, or one folder; may be repeated (default: everything)
  --processes N   so many side by side (default 1)
  --report FILE   writes Stryker's report as JSON, and as a page to FILE.html
`;

/** Runs Stryker and prints the score and each survivor that is not explained. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const options = optionsIn(args);
  if (typeof options === 'string') return print(`${options}\n\n${USAGE}`, 1);
  if (options.help) return print(USAGE, 0);
  const concurrency = Number(options.processes);
  if (!Number.isInteger(concurrency) || concurrency < 1) return print(USAGE, 1);
  const files = mutatedFiles(root, options.only);
  if (files.length === 0)
    return print('--only names nothing that is mutated: see test/mutation/scope.ts\n', 1);
  process.chdir(root);
  const results = await mutate(files, concurrency, options.report);
  const survivors = survivorsOf(results, root);
  const explanations = JSON.parse(
    readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8'),
  ) as Explanations;
  const left = survivors.filter((survivor) => !isExplained(survivor, explanations));
  const needless = needlessIn(explanations, new Set(files), survivors);
  print(`\n${tableOf(results, survivors, left)}\n`);
  for (const survivor of left) print(`\n${described(survivor)}\n`);
  for (const one of needless) print(`\nequivalent.json explains what does not survive: ${one}\n`);
  const broken = results.filter(({ status }) => !KNOWN.includes(status));
  for (const { fileName, location } of broken)
    print(`\n${relative(root, fileName)}:${location.start.line}: the tests could not be run with a mutant\n`);
  return left.length + needless.length + broken.length > 0 ? 1 : 0;
}

function optionsIn(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        processes: { type: 'string', default: '1' },
        report: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return (error as Error).message;
  }
}

function mutate(files: string[], concurrency: number, report: string | undefined): Promise<MutantResult[]> {
  const settings: PartialStrykerOptions = {
    mutate: files,
    testRunner: 'specs',
    mutation: { specs: SPECS },
    plugins: ['runner.ts', 'wording.ts'].map((file) => join(import.meta.dirname, file)),
    ignorers: ['wording'],
    coverageAnalysis: 'perTest',
    // Code that runs as its module is loaded has run before a mutant in it could be switched on.
    ignoreStatic: true,
    ignorePatterns: ['dist', '.data', 'coverage', 'docker', '.ci'],
    tempDirName: '.data/mutation',
    cleanTempDir: 'always',
    concurrency,
    timeoutMS: 10_000,
    disableTypeChecks: false,
    reporters: ['progress-append-only', ...(report === undefined ? [] : ['json', 'html'])],
    jsonReporter: { fileName: report ?? '' },
    htmlReporter: { fileName: `${report}.html` },
    logLevel: 'warn' as PartialStrykerOptions['logLevel'],
  };
  return new Stryker(settings).runMutationTest();
}

/** By folder, how many mutants there are and what became of them, and the share that was found. */
function tableOf(
  results: readonly MutantResult[],
  survivors: readonly Survivor[],
  left: readonly Survivor[],
): string {
  const folders = Object.keys(SCOPE).filter((folder) => results.some(isIn(folder)));
  const rows = [...folders, ''].map((folder) => {
    const own = results.filter(isIn(folder));
    const count = (...statuses: MutantStatus[]) =>
      own.filter(({ status }) => statuses.includes(status)).length;
    const within = ({ file }: Survivor) => file.startsWith(folder);
    const [survived, unexplained] = [survivors.filter(within).length, left.filter(within).length];
    const found = count('Killed', 'Timeout');
    const score = found + survived === 0 ? '' : `${((100 * found) / (found + survived)).toFixed(1)} %`;
    const numbers = [
      count('Killed'),
      count('Timeout'),
      count('Survived'),
      count('NoCoverage'),
      survived - unexplained,
    ];
    return [folder || 'all', ...numbers, count('Ignored'), score].map(String);
  });
  const head = ['folder', 'killed', 'timeout', 'survived', 'unreached', 'explained', 'left out', 'score'];
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  '),
    )
    .join('\n');
}

function isIn(folder: string) {
  return ({ fileName }: MutantResult) => relative(root, fileName).startsWith(folder);
}

function described({ file, lineNumber, line, mutant, reached }: Survivor): string {
  return [`${file}:${lineNumber}${reached ? '' : ' (reached by no test)'}`, `  ${line}`, `  ${mutant}`].join(
    '\n',
  );
}

function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
