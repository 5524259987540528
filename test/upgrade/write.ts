// `npm run upgrade-data`: writes the data of this version that later ones are tested with.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { vocabulary } from '#libs/manifest';
import { endCommands } from '../support/command.ts';
import { allAnswers } from './answers.ts';
import { eventTypesIn } from './event-log.ts';
import { playHistory, signIn } from './history/index.ts';
import { until } from './history/sandbox.ts';
import { instanceIn } from './instance.ts';
import { answersOf, backupOf, folderOf, textOf } from './kept.ts';

const USAGE = `npm run upgrade-data [-- options]

  --replace   also if there is data of this version already: only while it is not released

Plays a history on a fresh instance, and keeps its backup with all answers of its API in test/upgrade/data/<version>.
test/upgrade/README.md says what for.
`;

/** Event types that no history reaches, each with its reason. */
const NOT_REACHED: Readonly<Record<string, string>> = {
  PriceChangeOvertaken: 'is stored when the deletion of a metric stops a pending change of a price',
  PlanChangeOvertaken: 'is stored when the deletion of a price stops a pending change of a plan',
};

/** These come by the machine's clock, some time after their cause. */
const BY_THEMSELVES = ['AuditAnchored', 'UnmatchedUsageReported', 'UnpricedUsageReported'];

/** Writes the files, or says why not. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { help: { type: 'boolean' }, replace: { type: 'boolean' } },
  });
  if (values.help) return print(USAGE, 0);
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  if (existsSync(backupOf(version)) && !values.replace)
    return print(
      `There is data of ${version} already. What a released version wrote is never written again; --replace does so before the release.\n`,
      1,
    );
  const folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  try {
    const missing = await write(version, join(folder, 'data'));
    if (missing.length > 0)
      return print(`The history has no event of these types: ${missing.join(', ')}\n`, 1);
    const { size } = await stat(backupOf(version));
    return print(`${folderOf(version)}: a backup of ${Math.ceil(size / 1024)} KiB\n`, 0);
  } finally {
    await endCommands();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes all of it; answers the event types that should be in it and are not. */
async function write(version: string, dataDir: string): Promise<string[]> {
  const instance = await instanceIn(dataDir);
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'));
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await instance.start();
  const access = await playHistory(instance.url, hook);
  await instance.stop();
  receiver.closeAllConnections();
  receiver.close();

  // What is read is what was stored, not what the programs still remember.
  await instance.start();
  const answers = await allAnswers(await signIn(instance.url, access));
  const isThere = async () => {
    const counts = await eventTypesIn(dataDir);
    return BY_THEMSELVES.every((type) => counts[type] !== undefined);
  };
  await until(isThere);
  const events = await eventTypesIn(dataDir);
  await instance.stop();

  await rm(folderOf(version), { recursive: true, force: true });
  await mkdir(folderOf(version), { recursive: true });
  await instance.command('backup', backupOf(version));
  await writeFile(answersOf(version), textOf({ access, events, answers }));
  return vocabulary().types.filter((type) => events[type] === undefined && NOT_REACHED[type] === undefined);
}

function print(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
