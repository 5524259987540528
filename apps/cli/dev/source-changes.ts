import { watch } from 'node:fs';
import { WakeUp } from '#libs/kernel/system';

// An editor or a checkout writes several files at once, so changes are collected for a moment.
const quietMillis = 100;

/**
 * Calls `onChange` at once and after every burst of changes below the folders, until `stop` is aborted. Changes that happen while
 * `onChange` runs lead to the next call.
 */
export async function watchFolders(
  folders: string[],
  stop: AbortSignal,
  onChange: () => Promise<void>,
): Promise<void> {
  const changes = new WakeUp();
  // The first call covers changes that were made before the watch began.
  changes.wake();
  let timer: NodeJS.Timeout | undefined;
  const note = () => {
    clearTimeout(timer);
    timer = setTimeout(() => changes.wake(), quietMillis);
  };
  const watchers = folders.map((folder) => watch(folder, { recursive: true, signal: stop }, note));
  // A watcher reports an error if its folder is removed, which is a change too.
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
