// What `npm test` runs: every check in turn, the quick ones first, up to the first that fails. `npm test -- <path>`
// runs the specs under that path alone, whatever their kind; what follows is passed on to Jest.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pure from '../.pure-files.cjs';

const root = join(import.meta.dirname, '..');
const bin = (name) => join(root, 'node_modules/.bin', name);
const reports = await mkdtemp(join(tmpdir(), 'countinghouse-reports-'));
const reportOf = (kind) => join(reports, `${kind}.json`);

const jest = (kind) => [
  bin('jest'),
  '--selectProjects',
  kind,
  '--json',
  '--outputFile',
  reportOf(kind),
  '--silent=passed-only',
];
const chosen = process.argv.slice(2);
/**
 * Checks in turn; what stands `beside` one runs at the same time, and beside the next one, for the linter keeps only one
 * core busy.
 */
const everything = [
  {
    name: 'unit',
    commands: [jest('unit')],
    beside: {
      name: 'lint',
      commands: [
        [process.execPath, join(root, 'test/types-and-rules.mjs')],
        [bin('depcruise'), '--config', '.dependency-cruiser.cjs', 'apps', 'libs', 'projections'],
        // What must be pure, and all that it loads: the rule is about nothing else of libs.
        [bin('depcruise'), '--config', '.purity.cjs', ...pure.roots],
        [bin('prettier'), '--check', '.', '--log-level', 'warn'],
        [process.execPath, join(root, 'test/openapi/lint.mjs')],
      ],
    },
  },
  // These wait for servers, processes and clocks a good part of their time.
  { name: 'integration', commands: [[...jest('integration'), '--maxWorkers', '3']] },
  { name: 'e2e', commands: [[...jest('e2e'), '--maxWorkers', '3']] },
];

const only = [bin('jest'), '--json', '--outputFile', reportOf('chosen'), ...chosen];
const stages = chosen.length === 0 ? everything : [{ name: 'chosen', commands: [only] }];

let failed;
let beside;
const times = [];
for (const [index, stage] of stages.entries()) {
  const since = beside;
  beside = stage.beside && checkBeside(stage.beside);
  if (!(await check(stage))) failed = stage.name;
  // What failed ends the run, so nothing may still be at work then. What is beside this one may have failed already.
  for (const other of failed === undefined && !beside?.hasFailed() ? [since] : [since, beside])
    if (other && !(await other.passed())) failed ??= other.name;
  if (failed === undefined) continue;
  const left = stages.slice(index + 1).map(({ name }) => name);
  process.stdout.write(`\n${failed} failed${left.length > 0 ? `; not run: ${left.join(', ')}` : ''}\n`);
  break;
}

const { passing, failing, skipped } = await countTests();
await rm(reports, { recursive: true, force: true });
const told = skipped > 0 ? `, ${skipped} skipped` : '';
process.stdout.write(`\n${times.join(', ')}\n${passing} passed, ${failing} failed${told}\n`);
process.exitCode = failed === undefined ? 0 : 1;

async function check({ name, commands }, print = (text) => process.stdout.write(text), stdio = 'inherit') {
  print(`\n== ${name}\n`);
  const started = performance.now();
  let passed = true;
  for (const [program, ...args] of commands)
    if (passed) passed = (await run(program, args, stdio, print)) === 0;
  times.push(`${name} ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  return passed;
}

/** Begins what runs beside another; what it prints is kept until it is waited for, so that the two do not mix. */
function checkBeside(stage) {
  const printed = [];
  let failed = false;
  const checked = check(stage, (text) => printed.push(text), 'pipe').then((passed) => {
    failed = !passed;
    return passed;
  });
  return {
    name: stage.name,
    hasFailed: () => failed,
    passed: async () => {
      const passed = await checked;
      process.stdout.write(printed.join(''));
      return passed;
    },
  };
}

function run(program, args, stdio, print) {
  // Jest's flag for ES modules warns on every worker that it is experimental; that is known and says nothing.
  const NODE_OPTIONS = [
    process.env.NODE_OPTIONS ?? '',
    '--experimental-vm-modules --disable-warning=ExperimentalWarning',
  ].join(' ');
  const child = spawn(program, args, { cwd: root, stdio, env: { ...process.env, NODE_OPTIONS } });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', print);
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  }).finally(() => signals.forEach((signal) => process.off(signal, forward)));
}

/** A test file that could not even be loaded has no tests to count, and counts as one that failed. */
async function countTests() {
  let [passing, failing, skipped] = [0, 0, 0];
  for (const { name } of stages) {
    const text = await readFile(reportOf(name), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const report = JSON.parse(text);
    passing += report.numPassedTests;
    skipped += report.numPendingTests;
    failing += report.numFailedTests + report.numRuntimeErrorTestSuites;
  }
  return { passing, failing, skipped };
}
