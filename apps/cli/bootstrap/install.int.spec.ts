import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { allGone, descendantsOf } from '../../../test/support/processes.js';
import { commandLineOf } from '../command-line.js';
import { CountinghouseCommand } from '../root.command.js';

/** A replacement of npm that writes down its process and its arguments, and never ends. */
const NPM = `
  import { writeFileSync } from 'node:fs';
  writeFileSync(process.env.NOTE, JSON.stringify({ pid: process.pid, args: process.argv.slice(2) }));
  setInterval(() => undefined, 1_000);
`;

describe('the help of `npm start` before an installation', () => {
  it('is printed at once, without an installation, and is that of the command', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'help-'));
    try {
      for (const path of ['apps/cli', 'docs/operating.md'])
        await cp(join(process.cwd(), path), join(folder, path), { recursive: true });
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      await writeFile(
        join(folder, 'package-lock.json'),
        JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0' } } }),
      );
      const printed = execFileSync(
        process.execPath,
        [join(folder, 'apps/cli/bootstrap.mjs'), 'start', '--help'],
        {
          env: { ...process.env, npm_execpath: join(folder, 'no-npm.js') },
          encoding: 'utf8',
        },
      );
      expect(printed).toBe(await helpOfStart());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  /** The help that the installed command prints, 80 columns wide. */
  async function helpOfStart(): Promise<string> {
    const words = ['start', '--help'];
    const printed: string[] = [];
    const line = await commandLineOf(CountinghouseCommand, words, '1.2.3');
    for (const command of [line, ...line.commands])
      command.exitOverride().configureOutput({
        writeOut: (text) => printed.push(text),
        getOutHelpWidth: () => 80,
      });
    await line.parseAsync(words, { from: 'user' }).catch(() => undefined);
    return printed.join('');
  }
});

describe('an installation that is interrupted', () => {
  let folder: string;
  let command: ChildProcess;
  const note = () => join(folder, 'note.json');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'install-'));
    await mkdir(join(folder, 'apps'));
    await cp(join(process.cwd(), 'apps/cli'), join(folder, 'apps/cli'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(
      join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/one': { version: '1.0.0' } } }),
    );
    await writeFile(join(folder, 'npm.js'), NPM);
    command = spawn(process.execPath, [join(folder, 'apps/cli/bootstrap.mjs'), 'start'], {
      env: {
        ...process.env,
        npm_execpath: join(folder, 'npm.js'),
        npm_node_execpath: process.execPath,
        NOTE: note(),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  });
  afterEach(async () => {
    command.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  /** Waits for npm to run, and returns its process. */
  const npm = async (): Promise<{ pid: number; args: string[] }> => {
    for (;;) {
      const text = await readFile(note(), 'utf8').catch(() => '');
      if (text !== '') return JSON.parse(text) as { pid: number; args: string[] };
      await pause(20);
    }
  };

  it('has printed before how long an installation usually takes', async () => {
    await npm();
    const [said] = (await once(command.stdout!, 'data')) as [Buffer];
    expect(said.toString()).toBe(
      'Installing packages from the lock file (about a minute the first time) …\n',
    );
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('leaves no npm running after %s', async (signal) => {
    const { pid, args } = await npm();
    expect(args[0]).toBe('ci');
    const processes = [...(await descendantsOf(command.pid!)), { pid, parent: 0, commandLine: 'npm ci' }];
    const ended = once(command, 'exit');
    command.kill(signal);
    const [code] = (await ended) as [number | null];
    await allGone(processes);
    expect(code).toBe({ SIGTERM: 128 + 15, SIGINT: 128 + 2, SIGKILL: null }[signal]);
  });

  it('fails when npm is killed', async () => {
    const { pid } = await npm();
    const ended = once(command, 'exit');
    process.kill(pid, 'SIGKILL');
    expect(await ended).toEqual([1, null]);
  });
});
