import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Transcript } from './transcript.ts';

/** A run of the `countinghouse` command, from its very entry. */
export interface CommandRun {
  child: ChildProcess;
  /** What it has printed, on both streams. */
  output: Transcript;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  /** Resolves when the text was printed; rejects, with all that was, when the command ends before. */
  prints(text: string): Promise<void>;
}

const unfinished = new Set<CommandRun>();

/** Ends every run that still goes on, for `afterAll`: a test that failed has not ended its own. */
export async function endCommands(): Promise<void> {
  await Promise.all(
    [...unfinished].map((run) => {
      run.child.kill('SIGTERM');
      return run.ended;
    }),
  );
}

/** Starts `countinghouse <args>` as a process, with settings on top of our own environment. */
export function countinghouse(
  args: string[],
  settings: Record<string, string>,
  root = process.cwd(),
): CommandRun {
  const { TEST_POSTGRES_URL: _ours, NODE_OPTIONS: _jests, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'apps/cli/bootstrap.mjs'), ...args], {
    cwd: root,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = new Transcript();
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => output.add(chunk.toString()));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const run: CommandRun = {
    child,
    output,
    ended,
    prints: async (text) => {
      const end = ended.then((how) => {
        throw new Error(`The command ended (${how}) before it printed "${text}":\n${output.text}`);
      });
      await Promise.race([output.until(text), end]);
    },
  };
  unfinished.add(run);
  void ended.then(() => unfinished.delete(run));
  return run;
}
