import { watch } from 'node:fs';
import { WakeUp } from '#libs/kernel/system';

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
  const changes = new WakeUp();
  // What changed before the watch began is a change too.
  changes.wake();
  let timer: NodeJS.Timeout | undefined;
  const note = () => {
    clearTimeout(timer);
    timer = setTimeout(() => changes.wake(), quietMillis);
  };
  const watchers = folders.map((folder) => watch(folder, { recursive: true, signal: stop }, note));
  // A folder that vanishes while it is watched is a change like any other.
  for (const watcher of watchers) watcher.on('error', note);
  stop.addEventListener('abort', () => changes.wake(), { once: true });
  try {
    while (!stop.aborted) {
      await changes.sleep();
      if (stop.aborted) return;
      changes.clear();
      await onChange();
    }
  } finally {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  }
}
