// What `npm run bench` runs: each measurement against the running product and, where there is one, against the least
// that could do the same. Prints a table, beside what the last run found, and writes the figures as JSON.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { describeMachine } from './machine.mjs';
import { startStack } from './stack.mjs';
import { table } from './table.mjs';
import { benchAppends } from './appends.mjs';
import { benchBillingRun } from './billing-run.mjs';
import { benchChecks } from './checks.mjs';
import { benchCosts } from './costs.mjs';
import { benchHostileBodies } from './hostile.mjs';
import { benchInvoice } from './invoice.mjs';
import { benchLinks } from './links.mjs';
import { benchMails } from './mails.mjs';
import { benchMemory } from './memory.mjs';
import { benchMeters } from './meters.mjs';
import { benchReadable } from './readable.mjs';
import { benchRebuild } from './rebuild.mjs';
import { benchRetries } from './retries.mjs';
import { benchSignIns } from './sign-ins.mjs';
import { benchUsage } from './usage.mjs';
import { benchWallets } from './wallets.mjs';

/** In the order in which they run: the memory is looked at when all else is done. */
const benches = {
  usage: benchUsage,
  wallets: benchWallets,
  checks: benchChecks,
  appends: benchAppends,
  readable: benchReadable,
  meters: benchMeters,
  'billing-run': benchBillingRun,
  retries: benchRetries,
  hostile: benchHostileBodies,
  invoice: benchInvoice,
  links: benchLinks,
  'sign-ins': benchSignIns,
  mails: benchMails,
  rebuild: benchRebuild,
  costs: benchCosts,
  memory: benchMemory,
};
const names = Object.keys(benches);
const options = optionsIn();
const unknown = options.only.find((name) => !names.includes(name));
if (unknown !== undefined) refuse(`There is no bench "${unknown}"`);
/** Quick says whether something is badly wrong; only full figures are worth writing down. */
const presetName = options.quick ? 'quick' : 'full';
const preset = options.quick
  ? {
      seconds: 3,
      rounds: 1,
      warmUpSeconds: 1,
      subscriptions: 300,
      invoiceEvents: 100_000,
      rebuildEvents: 20_000,
      things: 5_000,
      memorySeconds: 20,
    }
  : {
      seconds: 10,
      rounds: 3,
      warmUpSeconds: 5,
      subscriptions: 10_000,
      invoiceEvents: 5_000_000,
      rebuildEvents: 500_000,
      things: 50_000,
      memorySeconds: 600,
    };

const stack = await startStack();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => {
    process.stderr.write('Stopping …\n');
    void stack.stop().finally(() => process.exit(code));
  });
try {
  const machine = await describeMachine(stack);
  const before = await earlierResults();
  const measured = [];
  for (const name of options.only) {
    const started = performance.now();
    measured.push(...(await resultsOf(name, measured)));
    process.stderr.write(`${name}: ${Math.round((performance.now() - started) / 1_000)} s\n`);
    // What has been measured is not lost with what comes after it.
    await writeFile(options.out, `${JSON.stringify(reportOf(machine, before, measured), null, 2)}\n`);
  }
  const report = reportOf(machine, before, measured);
  process.stdout.write(`\n${table({ ...report, results: measured }, before)}\nWritten to ${options.out}\n`);
  process.exitCode = measured.every(({ passed }) => passed !== false) ? 0 : 1;
} finally {
  await stack.stop();
}

/** What it found; a bench that breaks off is a result that is not met, and the others go on. */
async function resultsOf(name, measured) {
  const takenAt = new Date().toISOString();
  try {
    return (await benches[name](stack, preset, measured)).map((result) => ({
      bench: name,
      takenAt,
      ...result,
    }));
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    return [{ bench: name, takenAt, name: `${name} broke off`, value: 0, unit: '', passed: false }];
  }
}

/** The results of the last run of the same kind that wrote to the same file, if there was one. */
async function earlierResults() {
  const text = await readFile(options.out, 'utf8').catch(() => undefined);
  const earlier = text === undefined ? undefined : JSON.parse(text);
  return earlier?.preset.name === presetName ? earlier.results : [];
}

/** Benches that did not run this time keep what they found the last time. */
function reportOf(machine, before, measured) {
  const kept = before.filter(({ bench }) => !measured.some((result) => result.bench === bench));
  return { preset: { name: presetName, ...preset }, machine, results: [...kept, ...measured] };
}

function optionsIn() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: names },
        out: { type: 'string', default: 'bench.json' },
      },
    }).values;
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(problem) {
  process.stderr.write(`${problem}

npm run bench [-- options]

  --quick       in a short time, to see whether something is badly wrong
  --only NAME   one of ${names.join(', ')}; may be given more than once
  --out FILE    where the figures go as JSON, and what they are compared with (default bench.json)
`);
  process.exit(1);
}
