import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../dist/programs/eventstore.js');

/** An embedded node in a process of its own, as `npm start` runs it. */
export interface NodeProcess {
  readonly url: string;
  /** What it has written so far, line by line. */
  readonly lines: readonly string[];
  /** Sends a signal and resolves to the exit code, `null` when the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** Starts a node process and resolves when it says that it listens. Rejects with its output when it ends before. */
export async function startNodeProcess(databaseUrl: string): Promise<NodeProcess> {
  const child = spawnNode(databaseUrl);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const { lines, port } = outputOf(child);
  const listening = await Promise.race([port, exited.then(([code]) => ({ code }))]);
  if (typeof listening !== 'number')
    throw new Error(`The node ended with ${listening.code}: ${lines.join('\n')}`);
  return {
    url: `esdb://127.0.0.1:${listening}?tls=false`,
    lines,
    end: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

/** Starts a node process that is expected to fail; resolves to its exit code and the lines that it wrote. */
export async function failingNodeProcess(
  databaseUrl: string,
): Promise<{ code: number | null; lines: string[] }> {
  const child = spawnNode(databaseUrl);
  let text = '';
  for (const output of [child.stdout, child.stderr])
    output?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, lines: text.trim().split('\n') };
}

function spawnNode(databaseUrl: string): ChildProcess {
  return spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: databaseUrl,
      EVENTSTORE_PORT: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function outputOf(child: ChildProcess): { lines: string[]; port: Promise<number> } {
  const lines: string[] = [];
  const port = new Promise<number>((resolve) => {
    for (const output of [child.stdout, child.stderr]) {
      if (!output) continue;
      createInterface({ input: output }).on('line', (line) => {
        lines.push(line);
        const found = /"event":"listening".*"port":(\d+)/.exec(line)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    }
  });
  return { lines, port };
}
