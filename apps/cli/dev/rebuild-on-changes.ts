import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../processes/paths.js';
import type { Instance } from '../start/start.js';
import type { Terminal } from '../start/terminal.js';
import { affectedApps } from './affected-apps.js';
import { watchFolders } from './source-changes.js';

const sourceFolders = ['apps', 'libs', 'projections'];
const restartable = ['eventstore', 'projector', 'saga', 'api'];

/** Runs the build after every change to the sources and restarts the affected apps, until `stop` is aborted. */
export async function rebuildOnChanges(
  instance: Instance,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<void> {
  const builder = join(projectRoot, 'apps/cli/bootstrap/build.mjs');
  const { build } = (await import(pathToFileURL(builder).href)) as typeof import('../bootstrap/build.mjs');
  const folders = sourceFolders.map((folder) => join(projectRoot, folder));
  const watching = watchFolders(folders, stop, async () => {
    try {
      await applyChanges(await build(), instance, terminal);
    } catch (error) {
      // A source does not compile. The programs continue to run with the previous build until the author corrects it.
      if (!stop.aborted) terminal.printLine(error instanceof Error ? error.message : String(error));
    }
  });
  terminal.printLine('Watching the sources.');
  await watching;
}

async function applyChanges(
  changed: string[],
  { supervisor, migrate }: Instance,
  terminal: Terminal,
): Promise<void> {
  if (changed.length === 0) return;
  terminal.printLine(changed.length === 1 ? `Changed: ${changed[0]}` : `Changed: ${changed.length} files`);
  if (changed.some((file) => file.includes('/migrations/'))) await migrate();
  const affected = await affectedApps(restartable, changed);
  if (affected.length > 0) await supervisor.restart(affected);
  else if (changed.some((file) => file.startsWith('apps/cli/')))
    terminal.printLine('Changes to the command itself take effect at its next start.');
}
