import { join } from 'node:path';
import type { DemoAccess } from '../demo/index.js';
import { shownPath } from '../processes/paths.js';
import type { Instance } from './start.js';
import type { Terminal } from './terminal.js';

/** Where an instance is, as far as it is shown. */
export interface ShownInstance extends Pick<Instance, 'url' | 'ops'> {
  folder: Pick<Instance['folder'], 'path'>;
  /** Whether it came from a backup. */
  isRestored?: boolean;
}

/**
 * Makes the demo, or finds the one that was made. `signedUp` is told how to get into its workspace, before anything is made in it. What is
 * answered are the lines that tell a person where to look.
 */
export type MakeDemo = (
  signedUp: (access: DemoAccess) => void,
  said: (text: string) => void,
) => Promise<string[]>;

/**
 * Shows where a started instance is: its address at once, how to get in, where the rest is, then what the demo has to show. What goes
 * wrong with the demo must not end what runs well. Says nothing more once `stop` is aborted.
 */
export async function showInstance(
  terminal: Pick<Terminal, 'line'>,
  instance: ShownInstance,
  makeDemo: MakeDemo | undefined,
  stop: AbortSignal,
): Promise<void> {
  const show = (...lines: string[]): void => {
    if (!stop.aborted) for (const line of lines) terminal.line(line);
  };
  show('', `API            ${instance.url}`);
  // There is no demo to show a key of.
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

function placeLines({ url, ops, folder }: ShownInstance): string[] {
  return [
    `Docs           ${url}/docs`,
    `Metrics        ${ops.map(([name, place]) => `${name} ${place}/metrics`).join('\n               ')}`,
    `Logs           ${shownPath(join(folder.path, 'logs'))}`,
  ];
}
