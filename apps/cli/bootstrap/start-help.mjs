// The help of `countinghouse start` for a folder without installed packages, so that it needs no installation.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const HEAD = `Usage: countinghouse start [options]

Start Postgres, the event store, the API, the projector and the saga, each as
its own process. Postgres is not started if DATABASE_URL is set, and the event
store is not started if EVENTSTORE_URL is set. The first start with a DATA_DIR
makes a demo, unless the database has users. Ctrl-C stops all.

Options:
  --no-demo   Do not create the demo workspace
  -h, --help  display help for command
`;

/**
 * Tells whether these arguments ask for the help of `start`.
 *
 * @param {string[]} args the command and its arguments
 */
export function asksForStartHelp([command, ...rest]) {
  return command === 'start' && rest.some((word) => word === '-h' || word === '--help');
}

/**
 * Returns the text that the command itself prints. The settings come from their table in docs/operating.md, which a test compares with the
 * settings.
 *
 * @returns {Promise<string>}
 */
export async function startHelp() {
  const page = await readFile(join(root, 'docs/operating.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (?:`([^`]*)`|–) +\| (.*?) +\|$/gm)];
  const width = Math.max(...rows.map(([, name]) => name.length));
  const lines = rows.map(([, name, fallback, description]) => {
    const standard = fallback === undefined ? '' : ` (default: ${fallback})`;
    return `  ${name.padEnd(width)}  ${description}${standard}\n`;
  });
  return `${HEAD}\nSettings, from the environment:\n${lines.join('')}`;
}
