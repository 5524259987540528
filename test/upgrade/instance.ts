import { findFreePort } from '#apps/cli';
import { countinghouse } from '../support/command.ts';

/** An instance as `npm start` runs it, in a data folder. */
export interface Instance {
  readonly url: string;
  /** Runs a command for it, which must succeed, and answers what that prints. */
  command(...args: string[]): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function instanceIn(dataDir: string): Promise<Instance> {
  const port = await findFreePort();
  const settings = { DATA_DIR: dataDir, PORT: String(port), RATE_LIMIT_PER_SECOND: '100000' };
  let running: ReturnType<typeof countinghouse> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    async command(...args) {
      const { ended, output } = countinghouse(args, settings);
      const code = await ended;
      if (code !== 0) throw new Error(`countinghouse ${args.join(' ')} ended with ${code}:\n${output.text}`);
      return output.text;
    },
    async start() {
      running = countinghouse(['start', '--no-demo'], settings);
      await running.prints('Stop with Ctrl-C');
    },
    async stop() {
      running?.child.kill('SIGTERM');
      await running?.ended;
    },
  };
}
