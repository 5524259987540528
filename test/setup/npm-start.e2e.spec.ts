import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '#apps/cli';
import { processStartTime } from '../../apps/cli/processes/process-list.js';
import { allGone, descendantsOf, type ProcessEntry } from '../support/processes.js';
import { Transcript } from '../support/transcript.js';

const MINUTES = 60_000;

/** Who is who among the processes, by their command lines. */
const PARTS = {
  'the shell of npm': /^(\/bin\/)?(ba|da)?sh -c /,
  'the command': /^\S*node \S*bootstrap\.mjs start/,
  'the supervisor': /programs\/cli\.js start/,
  'the keeper of Postgres': /programs\/embedded-postgres\.js/,
  Postgres: /bin\/postgres -D /,
  'the event store': /programs\/eventstore\.js/,
  'the projector': /programs\/projector\.js/,
  'the saga': /programs\/saga\.js/,
  'the API': /programs\/api\.js/,
};
type Part = keyof typeof PARTS;

/** What the supervisor keeps running, with the names that it tells of. */
const KEPT: [Part, string][] = [
  ['the API', 'api'],
  ['the saga', 'saga'],
  ['the projector', 'projector'],
  ['the event store', 'eventstore'],
  ['Postgres', 'postgres'],
];
const KEEPER: [Part, string][] = [['the keeper of Postgres', 'postgres']];

/** `npm start` itself, with npm and the shell that it runs the script in. */
class NpmStart {
  readonly output = new Transcript();
  readonly ended: Promise<unknown>;
  private readonly child: ChildProcess;

  constructor(env: Record<string, string>) {
    const { TEST_POSTGRES_URL: _ours, NODE_OPTIONS: _jests, ...outer } = process.env;
    this.child = spawn('npm', ['start', '--', '--no-demo'], {
      env: { ...outer, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group, as a terminal makes one for each of its commands.
      detached: true,
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => this.output.add(chunk.toString()));
    this.ended = once(this.child, 'exit');
  }

  get pid(): number {
    return this.child.pid!;
  }

  async isReady(): Promise<void> {
    const end = this.ended.then(() => {
      throw new Error(`npm start ended before it was ready:\n${this.output.text}`);
    });
    await Promise.race([this.output.until('Stop with Ctrl-C'), end]);
  }

  /** Everything that it has started, and itself. */
  async processes(): Promise<ProcessEntry[]> {
    return [
      { pid: this.pid, parent: process.pid, commandLine: 'npm start' },
      ...(await descendantsOf(this.pid)),
    ];
  }

  async pidOf(part: Part): Promise<number> {
    const found = (await this.processes()).find(({ commandLine }) => PARTS[part].test(commandLine));
    if (!found) throw new Error(`There is no process of ${part}`);
    return found.pid;
  }

  /** Sends a signal to what the supervisor keeps, and resolves when all of it runs again. */
  async goesOnAfter(signal: NodeJS.Signals, parts: readonly [Part, string][]): Promise<void> {
    const told = this.output.text.length;
    const before = await Promise.all(parts.map(([part]) => this.pidOf(part)));
    for (const pid of before) process.kill(pid, signal);
    for (const [, name] of parts) await this.output.until(`${name} runs again`, told);
    // Those that it has taken with it.
    for (const [, name] of this.output.text.slice(told).matchAll(/^(\w+) ended /gm))
      await this.output.until(`${name} runs again`, told);
    const after = await Promise.all(parts.map(([part]) => this.pidOf(part)));
    expect(after.filter((pid, index) => pid === before[index])).toEqual([]);
  }
}

describe('npm start', () => {
  let folder: string;
  let env: Record<string, string>;
  /** Every process that was there when all was ready. */
  let seen: { pid: number; startedAt: string | undefined }[] = [];
  const start = async (): Promise<NpmStart> => {
    const started = new NpmStart(env);
    await started.isReady();
    const pids = (await started.processes()).map(({ pid }) => pid);
    seen = await Promise.all(pids.map(async (pid) => ({ pid, startedAt: await processStartTime(pid) })));
    return started;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'npm-start-'));
    env = { DATA_DIR: join(folder, 'data'), PORT: String(await findFreePort()) };
  });
  afterEach(async () => {
    // What a test that failed has left.
    for (const { pid, startedAt } of seen.splice(0))
      if (startedAt !== undefined && (await processStartTime(pid)) === startedAt)
        process.kill(pid, 'SIGKILL');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  // What npm and its shell add to `countinghouse start`: start.e2e.spec.ts ends the command and the supervisor. SIGTERM goes down from npm
  // through the shell. SIGINT comes from a terminal, which sends it to all of them: a shell alone keeps it for as long as its command runs.
  // Something that is kept is killed beside each end, as a start takes seconds. Of its keeper's signals SIGTERM stands for SIGINT, which has
  // the same handler, and start.e2e.spec.ts kills it.
  const ENDS: {
    title: string;
    kill: NodeJS.Signals;
    kept: typeof KEPT;
    end(started: NpmStart): Promise<void>;
  }[] = [
    {
      title: 'goes on after SIGTERM to all that it keeps, and leaves nothing running after SIGTERM to npm',
      kill: 'SIGTERM',
      kept: KEPT,
      end: async ({ pid }) => void process.kill(pid, 'SIGTERM'),
    },
    {
      title: 'goes on after SIGKILL to all that it keeps, and leaves nothing running after SIGKILL to npm',
      kill: 'SIGKILL',
      kept: KEPT,
      end: async ({ pid }) => void process.kill(pid, 'SIGKILL'),
    },
    {
      title:
        'goes on after SIGINT to all that it keeps, and leaves nothing running after SIGKILL to the shell of npm',
      kill: 'SIGINT',
      kept: KEPT,
      end: async (started) => void process.kill(await started.pidOf('the shell of npm'), 'SIGKILL'),
    },
    {
      title:
        'goes on after SIGTERM to the keeper of Postgres, and leaves nothing running after Ctrl-C, which a terminal sends to npm, its shell and the command',
      kill: 'SIGTERM',
      kept: KEEPER,
      end: async ({ pid }) => void process.kill(-pid, 'SIGINT'),
    },
  ];
  it.each(ENDS)(
    '$title',
    async ({ kill, kept, end }) => {
      const started = await start();
      await started.goesOnAfter(kill, kept);
      const processes = await started.processes();
      expect(processes.length).toBeGreaterThanOrEqual(Object.keys(PARTS).length + 1);
      await end(started);
      await started.ended;
      await allGone(processes);
    },
    6 * MINUTES,
  );
});
