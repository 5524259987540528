import { join } from 'node:path';
import { launch, type LaunchedProcess } from '#apps/cli';
import { READ_YOUR_WRITES_MS, type System } from './system.ts';

/** A program of the product in a process of its own. */
export interface AppProcess {
  /** The port that it listens on; undefined if it serves nobody. */
  readonly port: number | undefined;
  /** Ends it with SIGKILL, and resolves when it has ended. */
  kill(): Promise<void>;
  /** Asks it to stop, and resolves when it has. */
  stop(): Promise<void>;
}

/**
 * Starts a program beside a started system, on the same stores. Resolves when it is ready.
 *
 * @param onLine gets each line that the program writes
 */
export async function startApp(
  kind: 'api' | 'projector' | 'saga',
  { database, node, settings }: System,
  env: Record<string, string> = {},
  onLine?: (line: string) => void,
): Promise<AppProcess> {
  const databaseUrl = database.urlAs(kind === 'projector' ? 'projector' : 'app');
  const file = join(process.cwd(), `dist/programs/${kind}.js`);
  const own = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    EVENTSTORE_URL: node.url,
    JWT_SECRET: settings.jwtSecret,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_SECOND: '100000',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    READ_YOUR_WRITES_MS,
  };
  const launched: LaunchedProcess = launch({ name: kind, file, env: { ...own, ...env } }, onLine);
  const port = await launched.readyPort;
  return {
    port,
    async kill() {
      process.kill(launched.pid!, 'SIGKILL');
      await launched.exited;
    },
    async stop() {
      await launched.stop();
    },
  };
}
