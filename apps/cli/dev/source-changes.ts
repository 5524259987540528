import { watch } from 'node:fs';

// An editor or a checkout writes several files in one go.
const quietMillis = 100;

/**
 * Calls `onChange` at once and after every burst of changes below the folders, until `stop` is aborted. Changes that
 * happen while it is busy with one burst make the next.
 */
export async function watchFolders(
  folders: string[],
  stop: AbortSignal,
  onChange: () => Promise<void>,
): Promise<void> {
  // What changed before the watch began is a change too.
  let changed = true;
  let wake = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  const note = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      changed = true;
      wake();
    }, quietMillis);
  };
  const watchers = folders.map((folder) => watch(folder, { recursive: true, signal: stop }, note));
  // A folder that vanishes while it is watched is a change like any other.
  for (const watcher of watchers) watcher.on('error', note);
  stop.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!stop.aborted) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      if (stop.aborted) return;
      changed = false;
      await onChange();
    }
  } finally {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  }
}
