import { join } from 'node:path';
import type { DemoAccess } from '../demo/index.js';
import { displayPath } from '../processes/paths.js';
import type { Instance } from './start.js';
import type { Terminal } from './terminal.js';

/** The addresses of an instance that the start screen shows. */
export interface ShownInstance extends Pick<Instance, 'publicUrl' | 'opsUrls'> {
  folder: Pick<Instance['folder'], 'path'>;
  /** Tells whether the instance was restored from a backup. */
  isRestored?: boolean;
}

/**
 * Creates the demo, or finds the existing one. Returns lines for the terminal that describe the demo, or undefined if there is none.
 * `signedUp` is called with the credentials of the demo's workspace before anything else is created in it.
 */
export type MakeDemo = (
  signedUp: (access: DemoAccess) => void,
  said: (text: string) => void,
) => Promise<string[] | undefined>;

/**
 * Shows the address of a started instance's API, then the demo's API key, then the other addresses, and last the lines that describe the
 * demo. An error in the demo does not stop the instance. Shows nothing more after `stop` is aborted.
 */
export async function showInstance(
  terminal: Pick<Terminal, 'printLine'>,
  instance: ShownInstance,
  makeDemo: MakeDemo | undefined,
  stop: AbortSignal,
): Promise<void> {
  const show = (...lines: string[]): void => {
    if (!stop.aborted) for (const line of lines) terminal.printLine(line);
  };
  show('', `API            ${instance.publicUrl}`);
  // A restored instance has no demo, so there is no API key to show.
  if (instance.isRestored)
    show('Restored       Users sign in as before, and the API keys of the backup work');
  let mayShowRest = true;
  const showRest = (access?: DemoAccess): void => {
    if (!mayShowRest) return;
    mayShowRest = false;
    show(...(access ? accessLines(access) : []), ...placeLines(instance), '');
  };
  try {
    const lines = await makeDemo?.(showRest, (text) => show(`Demo: ${text}`));
    showRest();
    if (lines) show(...lines, '');
  } catch (error) {
    showRest();
    show(`The demo could not be made (${(error as Error).message}); the next start tries again`, '');
  }
  show('Stop with Ctrl-C.');
}

function accessLines({ apiKey, workspaceId }: DemoAccess): string[] {
  return [
    `API key        ${apiKey}`,
    ...(workspaceId === undefined ? [] : [`Workspace      ${workspaceId}`]),
  ];
}

function placeLines({ publicUrl: url, opsUrls: ops, folder }: ShownInstance): string[] {
  return [
    `Docs           ${url}/docs`,
    `Metrics        ${ops.map(([name, place]) => `${name} ${place}/metrics`).join('\n               ')}`,
    `Logs           ${displayPath(join(folder.path, 'logs'))}`,
  ];
}
